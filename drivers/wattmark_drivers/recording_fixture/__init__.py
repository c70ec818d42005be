"""Records of dialogues with real devices, without what would tell whose they are."""
