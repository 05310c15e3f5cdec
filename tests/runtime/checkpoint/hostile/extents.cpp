#include "tests/runtime/checkpoint/hostile/hostile_file.h"
#include "tests/support/safetensors_writer.h"

namespace metasan::testing {
namespace {

using Code = CheckpointErrorCode;

std::string info(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

HostileFile one(std::string name, const std::string& description, std::size_t payload,
                Code expected, std::vector<std::string> in_message = {}) {
  return {
      std::move(name),
      [=] { return safetensors_file("{\"w\":" + description + "}", std::string(payload, 'x')); },
      expected, std::move(in_message)};
}

HostileFile two(std::string name, const std::string& a, const std::string& b, std::size_t payload,
                Code expected, std::vector<std::string> in_message = {}) {
  return {std::move(name),
          [=] {
            return safetensors_file(R"({"a":)" + a + R"(,"b":)" + b + "}",
                                    std::string(payload, 'x'));
          },
          expected, std::move(in_message)};
}

}  // namespace

std::vector<HostileFile> files_with_broken_extents() {
  const std::string first = info("F32", "[2]", "[0,8]");
  return {
      one("DoesNotBeginAtZero", info("F32", "[1]", "[4,8]"), 8, Code::InvalidOffset,
          {"'w'", "[0, 4)"}),
      one("EndsBeforeItBegins",
          info("F32", "[0]", "[0,0]") + R"(,"v":)" + info("F32", "[1]", "[0,4]") + R"(,"z":)" +
              info("F32", "[1]", "[4,2]"),
          8, Code::InvalidOffset, {"'z'", "ends before"}),
      two("Hole", first, info("F32", "[1]", "[12,16]"), 16, Code::InvalidOffset,
          {"'b'", "[8, 12)", "no tensor"}),
      two("Overlap", first, info("F32", "[2]", "[4,12]"), 12, Code::InvalidOffset,
          {"'b'", "overlaps 'a'", "[0, 8)"}),
      two("TwoNamesForTheSameBytes", first, first, 8, Code::InvalidOffset, {"overlaps"}),
      two("EmptyInsideAnother", first, info("F32", "[0]", "[4,4]"), 8, Code::InvalidOffset,
          {"'b'"}),
      one("ShapeOverflows", info("F32", "[4294967296,4294967296]", "[0,8]"), 8,
          Code::ValidationOverflow, {"'w'", "[4294967296, 4294967296]"}),
      one("ShapeOverflowsBeforeZero", info("U8", "[18446744073709551615,2,0]", "[0,0]"), 0,
          Code::ValidationOverflow),
      one("BitsOverflow", info("U8", "[4611686018427387904]", "[0,8]"), 8, Code::ValidationOverflow,
          {"'w'"}),
      one("OddNumberOfF4", info("F4", "[3]", "[0,2]"), 2, Code::MisalignedSlice,
          {"'w'", "12 bits"}),
      one("ScalarF4", info("F4", "[]", "[0,1]"), 1, Code::MisalignedSlice),
      one("F6ThatEndsInAByte", info("F6_E2M3", "[3]", "[0,3]"), 3, Code::MisalignedSlice,
          {"18 bits"}),
      one("RangeTooShort", info("F32", "[3]", "[0,8]"), 8, Code::TensorInvalidInfo,
          {"'w'", "needs 12", "gives it 8"}),
      one("RangeTooLong", info("F32", "[1]", "[0,8]"), 8, Code::TensorInvalidInfo, {"needs 4"}),
      one("RangeNearTheEndOfTheNumbers", info("U8", "[1]", "[0,18446744073709551615]"), 8,
          Code::TensorInvalidInfo),
      two("Truncated", first, info("F32", "[100]", "[8,408]"), 108, Code::MetadataIncompleteBuffer,
          {"300 are missing", "'b'", "[8, 408)"}),
      one("TruncatedByOne", info("F32", "[2]", "[0,8]"), 7, Code::MetadataIncompleteBuffer,
          {"1 are missing", "'w'"}),
      one("TruncatedByFarMoreThanMemory",
          info("U8", "[2305843009213693951]", "[0,2305843009213693951]"), 8,
          Code::MetadataIncompleteBuffer, {"2305843009213693943 are missing"}),
      one("TrailingBytes", info("F32", "[2]", "[0,8]"), 11, Code::MetadataIncompleteBuffer,
          {"3 follow the last tensor"}),
      {"TrailingBytesWithoutTensors",
       [] { return safetensors_file("{}", "x"); },
       Code::MetadataIncompleteBuffer,
       {"1 follow"}},
  };
}

}  // namespace metasan::testing
