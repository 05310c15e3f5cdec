#include "tests/runtime/checkpoint/hostile/hostile_file.h"
#include "tests/support/safetensors_writer.h"

namespace metasan::testing {
namespace {

using Code = CheckpointErrorCode;

HostileFile file(std::string name, const std::string& header, Code expected,
                 std::vector<std::string> in_message = {}) {
  return {std::move(name), [header] { return safetensors_file(header, "12345678"); }, expected,
          std::move(in_message)};
}

HostileFile bad_json(std::string name, const std::string& header,
                     std::vector<std::string> in_message = {}) {
  return file(std::move(name), header, Code::InvalidHeaderDeserialization, std::move(in_message));
}

/// A header whose only tensor has this description.
std::string tensor(const std::string& info) {
  return R"({"w":)" + info + "}";
}

std::string nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

std::vector<HostileFile> files_with_broken_json() {
  const std::string info = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  return {
      bad_json("NotJson", "hello"),
      bad_json("TopLevelArray", "[]"),
      bad_json("TopLevelNumber", "12"),
      bad_json("Unclosed", R"({"w":{"dtype":"F32")"),
      bad_json("UnclosedString", R"({"w)"),
      bad_json("TrailingComma", R"({"w":)" + info + ",}"),
      bad_json("TwoObjects", "{}{}"),
      bad_json("TrailingNul", tensor(info) + std::string(1, '\0')),
      bad_json("TrailingText", tensor(info) + "x"),
      bad_json("LeadingSpace", " " + tensor(info), {"begin with '{'"}),
      bad_json("ByteOrderMark", "\xef\xbb\xbf" + tensor(info)),
      bad_json("RawControlCharacterInName", "{\"a\nb\":" + info + "}"),
      bad_json("LoneHighSurrogate", R"({"\ud800":)" + info + "}"),
      bad_json("LoneLowSurrogate", R"({"\udc00":)" + info + "}"),
      bad_json("HighSurrogateThenLetter", R"({"\ud800\u0041":)" + info + "}"),
      bad_json("InvalidEscape", R"({"\x":)" + info + "}"),
      bad_json("DeepArrays", "{\"w\":" + nested(127) + "}"),
      bad_json("DepthBomb", "{\"w\":" + std::string(1'000'000, '[')),
      bad_json(
          "DepthBombInUnknownField",
          tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":)" + nested(126) + "}")),
      bad_json("MetadataTwice", R"({"__metadata__":{},"__metadata__":{},"w":)" + info + "}",
               {"__metadata__ twice"}),
      bad_json("MetadataArray", R"({"__metadata__":[],"w":)" + info + "}", {"__metadata__"}),
      bad_json("MetadataWithNumber", R"({"__metadata__":{"step":1},"w":)" + info + "}", {"'step'"}),
      bad_json("InfoAsArray", tensor(R"(["F32",[2],[0,8]])"), {"'w'", "not an object"}),
      bad_json("InfoNull", tensor("null"), {"'w'"}),
      bad_json("NoDtype", tensor(R"({"shape":[2],"data_offsets":[0,8]})"), {"'w'", "no dtype"}),
      bad_json("NoShape", tensor(R"({"dtype":"F32","data_offsets":[0,8]})"), {"'w'", "no shape"}),
      bad_json("NoOffsets", tensor(R"({"dtype":"F32","shape":[2]})"), {"'w'", "no data_offsets"}),
      bad_json("DtypeTwice",
               tensor(R"({"dtype":"F32","dtype":"F32","shape":[2],"data_offsets":[0,8]})"),
               {"'w'", "dtype twice"}),
      bad_json("DtypeNumber", tensor(R"({"dtype":32,"shape":[2],"data_offsets":[0,8]})"),
               {"'w'", "dtype"}),
      bad_json("ShapeNotArray", tensor(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"),
               {"'w'", "shape"}),
      bad_json("ShapeReal", tensor(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"),
               {"'w'", "2.0"}),
      bad_json("ShapeExponent", tensor(R"({"dtype":"F32","shape":[2e0],"data_offsets":[0,8]})"),
               {"'w'"}),
      bad_json("ShapeNegative", tensor(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,8]})"),
               {"'w'", "-1"}),
      bad_json("ShapeNegativeZero", tensor(R"({"dtype":"F32","shape":[-0],"data_offsets":[0,8]})"),
               {"-0"}),
      bad_json("ShapeString", tensor(R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})"),
               {"'w'"}),
      bad_json("ShapeAbove64Bits",
               tensor(R"({"dtype":"F32","shape":[18446744073709551616],"data_offsets":[0,8]})")),
      bad_json("OffsetsThree", tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})"),
               {"'w'", "3 numbers"}),
      bad_json("OffsetsOne", tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"),
               {"'w'", "1 numbers"}),
      bad_json("OffsetNegative", tensor(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})"),
               {"'w'", "-8"}),
      file("UnknownDtype", tensor(R"({"dtype":"F24","shape":[2],"data_offsets":[0,8]})"),
           Code::UnknownDtype, {"'w'", "'F24'"}),
      file("LowerCaseDtype", tensor(R"({"dtype":"f32","shape":[2],"data_offsets":[0,8]})"),
           Code::UnknownDtype),
      file("SameNameTwice", R"({"w":)" + info + R"(,"w":)" + info + "}", Code::DuplicateTensor,
           {"'w'", "[0, 8)"}),
      file("SameNameTwiceByEscape", R"({"w":)" + info + R"(,"\u0077":)" + info + "}",
           Code::DuplicateTensor, {"'w'"}),
      file("ControlCharacterIsEscapedInMessage",
           R"({"a\u001b[2J":{"dtype":"?","shape":[],"data_offsets":[0,8]}})", Code::UnknownDtype,
           {"'a\\x1b[2J'"}),
  };
}

}  // namespace metasan::testing
