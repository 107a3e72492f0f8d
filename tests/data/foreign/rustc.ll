; ModuleID = 'kernel.7rcbfp3g-cgu.0'
source_filename = "kernel.7rcbfp3g-cgu.0"
target datalayout = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"
target triple = "nvptx64-nvidia-cuda"

@alloc_f93507f8ba4b5780b14b2c2584609be0 = private unnamed_addr constant [8 x i8] zeroinitializer, align 8

; kernel::add
; Function Attrs: mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable
define dso_local ptx_kernel void @add(ptr noundef readonly captures(none) dead_on_return %a, ptr noalias noundef nonnull align 4 captures(none) dereferenceable(4) %c, i64 noundef range(i64 0, 2305843009213693952) %n) unnamed_addr #0 {
start:
  %i = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x() #2
  %_7 = zext nneg i32 %i to i64
  %_8 = icmp samesign ugt i64 %n, %_7
  br i1 %_8, label %bb2, label %bb3, !prof !3

bb2:
  %_10 = getelementptr inbounds nuw float, ptr %a, i64 %_7
  %v = load float, ptr %_10, align 4, !noundef !2
  store float %v, ptr %c, align 4
  br label %bb3

bb3:
  ret void
}

declare noundef range(i32 0, 1024) i32 @llvm.nvvm.read.ptx.sreg.tid.x() unnamed_addr #1

attributes #0 = { mustprogress nofree norecurse nosync nounwind willreturn memory(argmem: readwrite) uwtable "probe-stack"="inline-asm" "target-cpu"="sm_70" }
attributes #1 = { mustprogress nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { nounwind }

!llvm.module.flags = !{!0}
!llvm.ident = !{!1}
!0 = !{i32 8, !"PIC Level", i32 2}
!1 = !{!"rustc version 1.92.0-nightly (abcdef 2025-09-01)"}
!2 = !{}
!3 = !{!"branch_weights", i32 2000, i32 1}
