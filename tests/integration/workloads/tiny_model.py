"""Write a language model with random weights as a GGUF file, small enough for a test and with a tokenizer of bytes.

The format is that of ggml's docs/gguf.md, version 3; the names are those of the architecture "llama".
"""

from __future__ import annotations

import random
import struct
from array import array
from collections.abc import Sequence
from pathlib import Path

WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT = 64, 4, 2, 128, 8192
ALIGNMENT = 32
UINT32, FLOAT32, BOOL, STRING, ARRAY, INT32 = 4, 6, 7, 8, 9, 5
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
"""Kinds of tokens."""
TOKENS = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL), *((f"<0x{n:02X}>", BYTE) for n in range(256))]
WORDS = [f"\u2581{word}" for word in ("time", "year", "people", "way", "day", "man", "thing", "world")]
VOCABULARY = [*TOKENS, *((word, NORMAL) for word in WORDS)]


def write_tiny_model(path: Path, seed: int = 38) -> None:
    """Write the model; its weights follow from the seed."""
    numbers = random.Random(seed)
    size = len(VOCABULARY)
    tensors = [("token_embd.weight", (WIDTH, size)), ("output_norm.weight", (WIDTH,)), ("output.weight", (WIDTH, size))]
    for n in range(LAYERS):
        block = f"blk.{n}."
        tensors += [(f"{block}{name}.weight", (WIDTH, WIDTH)) for name in ("attn_q", "attn_k", "attn_v", "attn_output")]
        tensors += [(f"{block}{name}.weight", (WIDTH,)) for name in ("attn_norm", "ffn_norm")]
        tensors += [(f"{block}{name}.weight", (WIDTH, HIDDEN)) for name in ("ffn_gate", "ffn_up")]
        tensors.append((f"{block}ffn_down.weight", (HIDDEN, WIDTH)))
    infos, data = bytearray(), bytearray()
    for name, shape in tensors:
        data += bytes(-len(data) % ALIGNMENT)
        infos += _string(name) + struct.pack("<I", len(shape)) + struct.pack(f"<{len(shape)}Q", *shape)
        infos += struct.pack("<IQ", 0, len(data))
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        norm = len(shape) == 1
        data += array("f", (1.0 if norm else numbers.gauss(0, 0.2) for _ in range(count))).tobytes()
    facts = _facts()
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(facts)) + b"".join(facts) + infos
    path.write_bytes(head + bytes(-len(head) % ALIGNMENT) + data)


def _facts() -> list[bytes]:
    texts = [text for text, _ in VOCABULARY]
    return [
        _fact("general.architecture", STRING, _string("llama")),
        _fact("general.name", STRING, _string("tiny")),
        _count("general.alignment", ALIGNMENT),
        _count("llama.context_length", CONTEXT),
        _count("llama.embedding_length", WIDTH),
        _count("llama.block_count", LAYERS),
        _count("llama.feed_forward_length", HIDDEN),
        _count("llama.attention.head_count", HEADS),
        _count("llama.rope.dimension_count", WIDTH // HEADS),
        _fact("llama.attention.layer_norm_rms_epsilon", FLOAT32, struct.pack("<f", 1e-5)),
        _fact("tokenizer.ggml.model", STRING, _string("llama")),
        _list("tokenizer.ggml.tokens", STRING, [_string(text) for text in texts]),
        _list("tokenizer.ggml.scores", FLOAT32, [struct.pack("<f", -float(n)) for n in range(len(texts))]),
        _list("tokenizer.ggml.token_type", INT32, [struct.pack("<i", kind) for _, kind in VOCABULARY]),
        _count("tokenizer.ggml.unknown_token_id", 0),
        _count("tokenizer.ggml.bos_token_id", 1),
        _count("tokenizer.ggml.eos_token_id", 2),
        _fact("tokenizer.ggml.add_bos_token", BOOL, b"\x01"),
    ]


def _string(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def _fact(key: str, kind: int, value: bytes) -> bytes:
    return _string(key) + struct.pack("<I", kind) + value


def _count(key: str, value: int) -> bytes:
    return _fact(key, UINT32, struct.pack("<I", value))


def _list(key: str, kind: int, values: Sequence[bytes]) -> bytes:
    return _fact(key, ARRAY, struct.pack("<IQ", kind, len(values)) + b"".join(values))
