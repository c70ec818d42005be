"""Records of dialogues with real devices, without anything that would identify their owners."""
