"""Audit bundles of InferenceX: a served language model, the power of its GPUs' boards, and what its validator said."""
