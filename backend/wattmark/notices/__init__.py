"""Tell people what happened while nobody looked: a campaign ended, hands are needed, a limit was crossed."""
