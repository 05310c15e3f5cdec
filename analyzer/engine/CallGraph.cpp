#include "engine/CallGraph.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/GraphTraits.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;
using metasan::analysis::CallGraph;

template <> struct llvm::GraphTraits<CallGraph::Member *> {
  using NodeRef = CallGraph::Member *;
  using ChildIteratorType = llvm::SmallVectorImpl<CallGraph::Member *>::iterator;
  static NodeRef getEntryNode(NodeRef N) { return N; }
  static ChildIteratorType child_begin(NodeRef N) { return N->Callees.begin(); }
  static ChildIteratorType child_end(NodeRef N) { return N->Callees.end(); }
};

namespace metasan::analysis {
namespace {

class CalleeSearch : public RecursiveASTVisitor<CalleeSearch> {
public:
  CalleeSearch(TypeOracle &Types, ApiModel &Api,
               llvm::function_ref<void(const FunctionDecl *)> Found)
      : Types(Types), Api(Api), Found(Found) {}

  bool shouldVisitImplicitCode() const { return true; }

  bool VisitCallExpr(CallExpr *E) {
    const FunctionDecl *Callee = E->getDirectCallee();
    if (!Callee)
      return true;
    Found(Callee);
    if (const FunctionDecl *Forward = Api.forwardOf(E))
      Found(Forward);
    if (Api.resolve(Callee).What == Effect::MakeObject)
      foundConstructors(E->getType());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    Found(E->getConstructor());
    if (!Types.isModuleClass(E->getType()))
      foundConstructors(E->getType());
    return true;
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *E) { return TraverseStmt(E->getExpr()); }

private:
  void foundConstructors(QualType Type) {
    const CXXRecordDecl *Class = Types.heldModule(Type);
    if (!Class)
      Class = TypeOracle::pointee(Type);
    if (Class && Class->hasDefinition() && !Class->isDependentType())
      for (const CXXConstructorDecl *Constructor : Class->getDefinition()->ctors())
        Found(Constructor);
  }

  TypeOracle &Types;
  ApiModel &Api;
  llvm::function_ref<void(const FunctionDecl *)> Found;
};

} // namespace

CallGraph::Member *CallGraph::find(const FunctionDecl *Function) {
  auto Found = ByFunction.find(Function->getCanonicalDecl());
  return Found == ByFunction.end() ? nullptr : Found->second;
}

CallGraph::CallGraph(llvm::ArrayRef<const FunctionDecl *> Functions, TypeOracle &Types,
                     ApiModel &Api, SummaryStore &Summaries) {
  auto Add = [&](const FunctionDecl *Function) {
    Member *&Entry = ByFunction[Function->getCanonicalDecl()];
    if (!Entry) {
      Members.push_back({Function, {}, false});
      Entry = &Members.back();
    }
    return Entry;
  };
  for (const FunctionDecl *Function : Functions) {
    Add(Function);
    if (const auto *Method = dyn_cast<CXXMethodDecl>(Function); Method && Method->isVirtual()) {
      llvm::SmallVector<const CXXMethodDecl *, 4> Pending(Method->overridden_methods());
      while (!Pending.empty()) {
        const CXXMethodDecl *Base = Pending.pop_back_val()->getCanonicalDecl();
        Summaries.Overriders[Base].push_back(Method);
        Pending.append(Base->overridden_methods().begin(), Base->overridden_methods().end());
      }
    }
  }
  // Members are added while this runs: constructors that the compiler wrote.
  for (std::size_t Index = 0; Index < Members.size(); ++Index) {
    Member &Caller = Members[Index];
    llvm::SmallPtrSet<Member *, 8> Seen;
    auto Connect = [&](Member *Callee) {
      if (!Callee || !Seen.insert(Callee).second)
        return;
      Caller.Callees.push_back(Callee);
      Caller.CallsItself |= Callee == &Caller;
    };
    auto Found = [&](const FunctionDecl *Callee) {
      const FunctionDecl *Definition = nullptr;
      if (isa<CXXConstructorDecl>(Callee) && Callee->isImplicit() && Callee->hasBody(Definition) &&
          !Api.isLibrary(*Callee) && !Callee->isDependentContext())
        Add(Definition);
      Connect(find(Callee));
      if (const auto *Method = dyn_cast<CXXMethodDecl>(Callee); Method && Method->isVirtual()) {
        auto Overriding = Summaries.Overriders.find(Method->getCanonicalDecl());
        if (Overriding != Summaries.Overriders.end())
          for (const CXXMethodDecl *Overrider : Overriding->second)
            Connect(find(Overrider));
      }
    };
    CalleeSearch Search(Types, Api, Found);
    Search.TraverseStmt(Caller.Function->getBody());
    if (const auto *Constructor = dyn_cast<CXXConstructorDecl>(Caller.Function))
      for (const CXXCtorInitializer *Init : Constructor->inits())
        Search.TraverseStmt(Init->getInit());
  }
  for (Member &Each : Members)
    Root.Callees.push_back(&Each);
  for (auto Next = llvm::scc_begin(&Root); !Next.isAtEnd(); ++Next)
    if ((*Next).front() != &Root)
      Groups.emplace_back((*Next).begin(), (*Next).end());
}

} // namespace metasan::analysis
