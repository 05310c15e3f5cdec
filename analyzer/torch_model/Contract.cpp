#include "torch_model/Contract.h"

#include "torch_model/Types.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/YAMLTraits.h"

using namespace clang;
using metasan::analysis::Contract;

//===- The vocabulary ------------------------------------------------------------===//

namespace {

/// A promise about an argument: the key in a model file, and "metasan:" Word as an annotation.
struct PlacesWord {
  llvm::StringLiteral Word;
  Contract::Places Contract::*Places;
};

constexpr PlacesWord PlacesWords[] = {
    {"requires", &Contract::Requires},
    {"materializes", &Contract::Materializes},
    {"dispatches", &Contract::Dispatches},
    {"leaves_meta", &Contract::LeavesMeta},
};

/// A promise about the result: the value of "returns" in a model file, and "metasan:returns_" Word
/// as an annotation.
struct ResultWord {
  llvm::StringLiteral Word;
  Contract::Result Result;
};

constexpr ResultWord ResultWords[] = {
    {"meta", Contract::Result::Meta},
    {"materialized", Contract::Result::Materialized},
    {"uninitialized", Contract::Result::Uninitialized},
};

Contract::Result resultOf(llvm::StringRef Word) {
  for (const ResultWord &Known : ResultWords)
    if (Known.Word == Word)
      return Known.Result;
  return Contract::Result::Unstated;
}

void add(Contract::Places &Places, int Place) {
  if (!llvm::is_contained(Places, Place))
    Places.push_back(Place);
}

/// What \p From says of the result replaces what \p To says.
void merge(const Contract &From, Contract &To) {
  if (From.Returns != Contract::Result::Unstated) {
    To.Returns = From.Returns;
    To.ReturnedArgument = From.ReturnedArgument;
  }
  for (const PlacesWord &Known : PlacesWords)
    for (int Place : From.*Known.Places)
      add(To.*Known.Places, Place);
}

//===- Model files ---------------------------------------------------------------===//

struct Place {
  int Number = 0;
};

struct FunctionEntry {
  std::string Name;
  Contract Promised;
};

struct ModelFile {
  std::vector<FunctionEntry> Functions;
};

} // namespace

LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(Place)
LLVM_YAML_IS_SEQUENCE_VECTOR(FunctionEntry)

namespace llvm::yaml {

template <> struct ScalarTraits<Place> {
  static StringRef input(StringRef Text, void *, Place &Read) {
    if (Text == "this") {
      Read.Number = Contract::This;
      return {};
    }
    if (Text.getAsInteger(10, Read.Number) || Read.Number < 0)
      return "expected 'this' or the number of a parameter, which start at 0";
    return {};
  }
  static void output(const Place &, void *, raw_ostream &) { llvm_unreachable("only read"); }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<Contract::Result> {
  static StringRef input(StringRef Text, void *, Contract::Result &Read) {
    Read = Text == "argument" ? Contract::Result::Argument : resultOf(Text);
    if (Read == Contract::Result::Unstated)
      return "expected meta, materialized, uninitialized or argument";
    return {};
  }
  static void output(const Contract::Result &, void *, raw_ostream &) {
    llvm_unreachable("only read");
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct MappingTraits<FunctionEntry> {
  static void mapping(IO &In, FunctionEntry &Entry) {
    Contract &Promised = Entry.Promised;
    In.mapRequired("name", Entry.Name);
    if (In.keys().size() == 1)
      In.setError("the entry has a name and promises nothing");
    In.mapOptional("returns", Promised.Returns);
    std::optional<Place> Argument;
    In.mapOptional("argument", Argument);
    for (const PlacesWord &Known : PlacesWords) {
      std::vector<Place> Read;
      In.mapOptional(Known.Word.data(), Read);
      for (Place Each : Read)
        add(Promised.*Known.Places, Each.Number);
    }
    bool ReturnsArgument = Promised.Returns == Contract::Result::Argument;
    if (Argument)
      Promised.ReturnedArgument = Argument->Number;
    if (ReturnsArgument && !Argument)
      In.setError("'returns: argument' needs 'argument', which says which one");
    if (Argument && !ReturnsArgument)
      In.setError("'argument' says which one is returned, and needs 'returns: argument'");
  }

  static std::string validate(IO &, FunctionEntry &Entry) {
    if (llvm::StringRef(Entry.Name).trim(": ").empty())
      return "the name is empty";
    const Contract &Promised = Entry.Promised;
    for (int Place : Promised.Materializes)
      if (llvm::is_contained(Promised.LeavesMeta, Place))
        return "'materializes' and 'leaves_meta' name the same argument";
    return {};
  }
};

template <> struct MappingTraits<ModelFile> {
  static void mapping(IO &In, ModelFile &File) { In.mapRequired("functions", File.Functions); }
};

} // namespace llvm::yaml

namespace metasan::analysis {
namespace {

/// Keeps the first mistake: those after it mostly follow from it.
void keepFirst(const llvm::SMDiagnostic &Mistake, void *Error) {
  auto &Text = *static_cast<std::string *>(Error);
  if (Text.empty())
    Text = (Mistake.getFilename() + ":" + llvm::Twine(Mistake.getLineNo()) + ":" +
            llvm::Twine(Mistake.getColumnNo() + 1) + ": " + Mistake.getMessage())
               .str();
}

//===- Annotations ---------------------------------------------------------------===//

/// Calls \p Visit with the word of each annotation of MetaSan's on \p Decl.
void forEachWord(const Decl &Decl, llvm::function_ref<void(llvm::StringRef)> Visit) {
  for (const auto *Attribute : Decl.specific_attrs<AnnotateAttr>()) {
    llvm::StringRef Word = Attribute->getAnnotation();
    if (Word.consume_front("metasan:"))
      Visit(Word);
  }
}

void addPlace(llvm::StringRef Word, int Place, Contract &To) {
  for (const PlacesWord &Known : PlacesWords)
    if (Known.Word == Word)
      add(To.*Known.Places, Place);
}

void addAnnotations(const FunctionDecl &Declaration, Contract &To) {
  forEachWord(Declaration, [&](llvm::StringRef Word) {
    if (Word.consume_front("returns_")) {
      if (Contract::Result Returns = resultOf(Word); Returns != Contract::Result::Unstated)
        To.Returns = Returns;
    } else {
      addPlace(Word, Contract::This, To);
    }
  });
  for (const ParmVarDecl *Parameter : Declaration.parameters())
    forEachWord(*Parameter, [&](llvm::StringRef Word) {
      addPlace(Word, static_cast<int>(Parameter->getFunctionScopeIndex()), To);
    });
}

//===- Both ----------------------------------------------------------------------===//

/// Leaves out the arguments that \p Function does not have.
void fit(Contract &Promised, const FunctionDecl &Function) {
  const auto *Method = dyn_cast<CXXMethodDecl>(&Function);
  bool HasObject = Method && !Method->isStatic();
  auto IsMissing = [&](int Place) {
    return Place == Contract::This ? !HasObject
                                   : Place >= static_cast<int>(Function.getNumParams());
  };
  for (const PlacesWord &Known : PlacesWords)
    llvm::erase_if(Promised.*Known.Places, IsMissing);
  if (Promised.Returns == Contract::Result::Argument && IsMissing(Promised.ReturnedArgument))
    Promised.Returns = Contract::Result::Unstated;
}

} // namespace

bool Contract::empty() const {
  return Returns == Result::Unstated && llvm::all_of(PlacesWords, [&](const PlacesWord &Known) {
           return (this->*Known.Places).empty();
         });
}

bool ContractTable::readModelFile(llvm::StringRef Path, std::string &Error) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Buffer) {
    Error = (Path + ": " + Buffer.getError().message()).str();
    return false;
  }
  Error.clear();
  ModelFile File;
  llvm::yaml::Input In(**Buffer, nullptr, keepFirst, &Error);
  In >> File;
  if (In.error()) {
    if (Error.empty())
      Error = (Path + ":1:1: not a model file").str();
    return false;
  }
  for (const FunctionEntry &Entry : File.Functions) {
    llvm::StringRef Name = Entry.Name;
    Name.consume_front("::");
    merge(Entry.Promised, OfModelFiles[Name]);
  }
  Cache.clear();
  return true;
}

const Contract *ContractTable::contractOf(const FunctionDecl &Function) const {
  const FunctionDecl *Canonical = Function.getCanonicalDecl();
  if (auto Found = Cache.find(Canonical); Found != Cache.end())
    return Found->second.get();

  Contract Promised;
  if (const auto *Method = dyn_cast<CXXMethodDecl>(Canonical))
    for (const CXXMethodDecl *Overridden : Method->overridden_methods())
      if (const Contract *Inherited = contractOf(*Overridden))
        merge(*Inherited, Promised);
  if (const FunctionDecl *Pattern = Canonical->getTemplateInstantiationPattern())
    for (const FunctionDecl *Declaration : Pattern->redecls())
      addAnnotations(*Declaration, Promised);
  for (const FunctionDecl *Declaration : Canonical->redecls())
    addAnnotations(*Declaration, Promised);
  if (!OfModelFiles.empty())
    if (auto Found = OfModelFiles.find(qualifiedName(*Canonical)); Found != OfModelFiles.end())
      merge(Found->second, Promised);
  fit(Promised, *Canonical);

  std::unique_ptr<Contract> &Entry = Cache[Canonical];
  if (!Promised.empty())
    Entry = std::make_unique<Contract>(std::move(Promised));
  return Entry.get();
}

} // namespace metasan::analysis
