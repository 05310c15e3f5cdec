#!/usr/bin/env python3
"""The expected values of the end-to-end test, computed without MetaSan, LibTorch or the C++ example.

An implementation of MiniLM-L6's sentence embeddings in NumPy (in double precision) and of its tokenizer in plain
Python, from the files of the same checkpoint: model.safetensors, config.json, tokenizer.json.

    reference.py MODEL_DIR --write    computes reference.json beside this file
    reference.py MODEL_DIR --check    compares fresh values with it
"""

import argparse
import json
import math
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np

REFERENCE = Path(__file__).with_name("reference.json")
TOLERANCE = 1e-6

SENTENCES = [
    "A man is eating food.",
    "Someone eats a meal!",
    "The café in Zürich serves naïve über-crêpes.",
    "THE CAFE IN ZURICH SERVES PANCAKES",
    "A cheetah chases its prey across the savanna.",
    'Who said "tensors without data" aren\'t useful (for planning)?',
]

# Only tokenized: one hard case each.
TOKENIZER_CASES = [
    "",
    " \t\n tabs,\r\nnew lines \u00a0and\u3000wide spaces ",
    "e\u0301le\u0300ve decomposed",
    "ŁÓDŹ Straße İstanbul Ångström œuvre Ți ǅ",
    "Phở Việt Nam Ứng Ự",
    "ΑΘΗΝΑ Ήλιος МОСКВА Ёлка йод",
    "北京 is 3°C — 東京タワー、「春」！",
    "soft\u00adhyphen zero\u200bwidth \ufefffeed\ufffd\x07",
    "a1b2-c3_d4@e.f/g\\h ~`^|<>=+$#%&*{}[]",
    "unaffable antidisestablishmentarianism",
    "x" * 100 + " " + "x" * 101,
    "🙂 emoji ☃ snowman ¿qué? «guillemets» … “quotes” ‘single’",
    "€100 £5 ½ ² © ® ™",
    "word " * 200,
]


class WordPiece:
    """BERT's uncased tokenizer, configured by tokenizer.json."""

    def __init__(self, file: Path) -> None:
        settings = json.loads(file.read_text(encoding="utf-8"))
        self.vocabulary: dict[str, int] = settings["model"]["vocab"]
        self.longest_word: int = settings["model"]["max_input_chars_per_word"]
        self.max_tokens: int = settings["truncation"]["max_length"]
        assert settings["normalizer"]["lowercase"] and settings["normalizer"]["strip_accents"] is None

    def encode(self, text: str) -> list[int]:
        pieces = [piece for word in self.words(text) for piece in self.pieces(word)]
        pieces = ["[CLS]", *pieces[: self.max_tokens - 2], "[SEP]"]
        return [self.vocabulary[piece] for piece in pieces]

    def words(self, text: str) -> list[str]:
        spaced = "".join(self.spaced(c) for c in text)
        decomposed = unicodedata.normalize("NFD", spaced)
        bare = "".join(c for c in decomposed if unicodedata.category(c) != "Mn")
        return "".join(f" {c} " if is_punctuation(c) else c for c in bare.lower()).split()

    @staticmethod
    def spaced(c: str) -> str:
        if c.isspace() and unicodedata.category(c) != "Cc" or c in "\t\n\r":
            return " "
        if c in "\0\ufffd" or unicodedata.category(c).startswith("C"):
            return ""
        return f" {c} " if is_ideograph(c) else c

    def pieces(self, word: str) -> list[str]:
        if len(word) > self.longest_word:
            return ["[UNK]"]
        found: list[str] = []
        rest = word
        while rest:
            prefix = "##" if found else ""
            lengths = range(len(rest), 0, -1)
            piece = next((prefix + rest[:n] for n in lengths if prefix + rest[:n] in self.vocabulary), None)
            if piece is None:
                return ["[UNK]"]
            found.append(piece)
            rest = rest[len(piece) - len(prefix) :]
        return found


def is_punctuation(c: str) -> bool:
    return 33 <= ord(c) <= 126 and not c.isalnum() or unicodedata.category(c).startswith("P")


def is_ideograph(c: str) -> bool:
    return unicodedata.name(c, "").startswith(("CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH"))


def read_safetensors(file: Path) -> dict[str, np.ndarray]:
    data = file.read_bytes()
    (header_size,) = struct.unpack_from("<Q", data)
    start = 8 + header_size
    header = json.loads(data[8:start])
    dtypes = {"F32": "<f4", "I64": "<i8"}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[start + begin : start + end], dtypes[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"]).astype(np.float64)
    return tensors


class Encoder:
    """BERT's encoder and the mean over its tokens, for one sentence at a time."""

    def __init__(self, model_dir: Path) -> None:
        self.config = json.loads((model_dir / "config.json").read_text(encoding="utf-8"))
        self.weights = read_safetensors(model_dir / "model.safetensors")

    def linear(self, name: str, x: np.ndarray) -> np.ndarray:
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def norm(self, name: str, x: np.ndarray) -> np.ndarray:
        centered = x - x.mean(-1, keepdims=True)
        variance = (centered**2).mean(-1, keepdims=True)
        normal = centered / np.sqrt(variance + self.config["layer_norm_eps"])
        return normal * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def attention(self, name: str, x: np.ndarray) -> np.ndarray:
        tokens, hidden = x.shape
        heads = self.config["num_attention_heads"]
        q, k, v = (
            self.linear(f"{name}.{part}", x).reshape(tokens, heads, hidden // heads).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        scores = q @ k.swapaxes(1, 2) / math.sqrt(hidden // heads)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ v).swapaxes(0, 1).reshape(tokens, hidden)

    def layer(self, name: str, x: np.ndarray) -> np.ndarray:
        attended = self.linear(f"{name}.attention.output.dense", self.attention(f"{name}.attention.self", x))
        x = self.norm(f"{name}.attention.output.LayerNorm", x + attended)
        wide = gelu(self.linear(f"{name}.intermediate.dense", x))
        return self.norm(f"{name}.output.LayerNorm", x + self.linear(f"{name}.output.dense", wide))

    def embed(self, ids: list[int]) -> np.ndarray:
        x = self.weights["embeddings.word_embeddings.weight"][ids]
        x = x + self.weights["embeddings.position_embeddings.weight"][: len(ids)]
        x = x + self.weights["embeddings.token_type_embeddings.weight"][0]
        x = self.norm("embeddings.LayerNorm", x)
        for i in range(self.config["num_hidden_layers"]):
            x = self.layer(f"encoder.layer.{i}", x)
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)


def gelu(x: np.ndarray) -> np.ndarray:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    return 0.5 * x * (1.0 + erf(x / math.sqrt(2.0)))


def compute(model_dir: Path) -> dict:
    tokenizer = WordPiece(model_dir / "tokenizer.json")
    encoder = Encoder(model_dir)
    ids = [tokenizer.encode(sentence) for sentence in SENTENCES]
    embeddings = np.stack([encoder.embed(sentence) for sentence in ids])
    return {
        "sentences": SENTENCES,
        "token_ids": ids,
        "embedding_heads": np.round(embeddings[:, :8], 9).tolist(),
        "similarities": np.round(embeddings @ embeddings.T, 9).tolist(),
        "tokenizer_cases": [{"text": text, "token_ids": tokenizer.encode(text)} for text in TOKENIZER_CASES],
    }


def dump(values: dict) -> str:
    """JSON with each innermost list on one line."""
    rows = (f"  {json.dumps(key)}: [\n    {items(value)}\n  ]" for key, value in values.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def items(values: list) -> str:
    return ",\n    ".join(json.dumps(value, ensure_ascii=True) for value in values)


def differences(expected: dict, fresh: dict) -> list[str]:
    exact = ("sentences", "token_ids", "tokenizer_cases")
    found = [f"{key} differ" for key in exact if expected[key] != fresh[key]]
    for key in ("embedding_heads", "similarities"):
        distance = np.abs(np.array(expected[key]) - np.array(fresh[key])).max()
        if not distance <= TOLERANCE:
            found.append(f"{key} differ by {distance:.3g}, allowed {TOLERANCE:.0e}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model_dir", type=Path)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    fresh = compute(arguments.model_dir)
    if arguments.write:
        REFERENCE.write_text(dump(fresh), encoding="utf-8")
        return 0
    found = differences(json.loads(REFERENCE.read_text(encoding="utf-8")), fresh)
    for difference in found:
        print(f"reference.json: {difference}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
