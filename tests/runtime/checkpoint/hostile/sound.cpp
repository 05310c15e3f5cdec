#include "tests/runtime/checkpoint/hostile/hostile_file.h"
#include "tests/support/safetensors_writer.h"

namespace metasan::testing {
namespace {

HostileFile sound(std::string name, const std::string& header, std::string payload = "12345678") {
  return {std::move(name), [=] { return safetensors_file(header, payload); }, std::nullopt};
}

}  // namespace

// Each of these was accepted by safetensors 0.8.0.
std::vector<HostileFile> odd_files_that_are_sound() {
  const std::string info = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const auto with_header_of = [](std::size_t size) {
    return [size] {
      std::string header = "{}";
      header.resize(size, ' ');
      return safetensors_file(header);
    };
  };
  return {
      sound("NoTensors", "{}", ""),
      sound("MetadataAbsent", R"({"w":)" + info + "}"),
      sound("MetadataEmpty", R"({"__metadata__":{},"w":)" + info + "}"),
      sound("MetadataNull", R"({"__metadata__":null,"w":)" + info + "}"),
      sound("MetadataKeyTwice", R"({"__metadata__":{"a":"1","a":"2"},"w":)" + info + "}"),
      sound("MetadataOfAnotherWriter", R"({"__metadata__":{"format":"mlx"},"w":)" + info + "}"),
      sound("UnknownField",
            R"({"w":{"dtype":"F32","x":{"y":[1,null]},"shape":[2],"data_offsets":[0,8]}})"),
      sound("FieldsInAnyOrder", R"({"w":{"data_offsets":[0,8],"shape":[2],"dtype":"F32"}})"),
      sound("TrailingWhitespace", R"({"w":)" + info + "} \t\r\n"),
      sound("EmptyName", R"({"":)" + info + "}"),
      sound("NulInName", R"({"\u0000":)" + info + "}"),
      sound("SurrogatePairInName", R"({"\ud83d\ude00":)" + info + "}"),
      sound("ScalarTensor", R"({"w":{"dtype":"F64","shape":[],"data_offsets":[0,8]}})"),
      sound("MisalignedF32",
            R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
            R"("b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
            "12345"),
      sound("EmptyTensorsAtOneOffset",
            R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"w":)" + info +
                R"(,"b":{"dtype":"F32","shape":[0,3],"data_offsets":[8,8]},)"
                R"("c":{"dtype":"F32","shape":[3,0],"data_offsets":[8,8]}})"),
      sound("EmptyWithHugeDimension",
            R"({"w":{"dtype":"F32","shape":[0,18446744073709551615,2],"data_offsets":[0,0]}})", ""),
      sound("EvenNumberOfF4", R"({"w":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", "12"),
      sound("F6", R"({"w":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}})", "123"),
      sound("NestingAtTheLimit", R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":)" +
                                     std::string(125, '[') + std::string(125, ']') + "}}"),
      sound("NegativeZeroInAName", R"({"layer-0.-0":)" + info + "}"),
      {"HeaderOf99994Bytes", with_header_of(99'994), std::nullopt},
      {"HeaderOf100000Bytes", with_header_of(100'000), std::nullopt},
      {"HeaderAtTheLimit", with_header_of(100'000'000), std::nullopt},
  };
}

}  // namespace metasan::testing
