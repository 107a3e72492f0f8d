; ModuleID = "kernel$1"
target triple = "nvptx64-nvidia-cuda"
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"

define i32 @"_ZN8__main__3incB2v1B94cw51cXTLSUwv1sDUaKthoaNgiPT8tRFTaOUEK_5Array"({i8*, i32}** noalias nocapture %".ret", i64 %"arg.n") 
{
entry:
  %"n" = alloca i64
  store i64 %"arg.n", i64* %"n"
  ret i32 0
}
define void @"_ZN6cudapy8__main__3incB2v1"(i8* %"p")
{
.entry:
  %".3" = alloca {i8*, i32}*
  %".4" = call i32 @"_ZN8__main__3incB2v1B94cw51cXTLSUwv1sDUaKthoaNgiPT8tRFTaOUEK_5Array"({i8*, i32}** %".3", i64 3)
  store i8 1, i8* %"p"
  ret void
}
!nvvm.annotations = !{ !0 }
!nvvmir.version = !{ !1 }
!0 = !{ void (i8*)* @"_ZN6cudapy8__main__3incB2v1", !"kernel", i32 1 }
!1 = !{ i32 2, i32 0, i32 3, i32 1 }
