// Entries of the hooks that inlined code calls. They follow LLVM's preserve_most convention: arguments as in C, every
// general register but r11 is the caller's, vector registers are not. So the hot path around a hook keeps its registers.
        .text

        .macro HOOK name, target
        .globl  \name
        .type   \name, @function
\name:
        .cfi_startproc
        endbr64
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        pushq   %rdx
        .cfi_adjust_cfa_offset 8
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        pushq   %rdi
        .cfi_adjust_cfa_offset 8
        pushq   %r8
        .cfi_adjust_cfa_offset 8
        pushq   %r9
        .cfi_adjust_cfa_offset 8
        pushq   %r10
        .cfi_adjust_cfa_offset 8
        subq    $8, %rsp                // calls want the stack at a multiple of 16
        .cfi_adjust_cfa_offset 8
        call    \target
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r10
        .cfi_adjust_cfa_offset -8
        popq    %r9
        .cfi_adjust_cfa_offset -8
        popq    %r8
        .cfi_adjust_cfa_offset -8
        popq    %rdi
        .cfi_adjust_cfa_offset -8
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        popq    %rdx
        .cfi_adjust_cfa_offset -8
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rax
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_endproc
        .size   \name, .-\name
        .endm

        HOOK __sooth_read1, sooth_read1
        HOOK __sooth_read2, sooth_read2
        HOOK __sooth_read4, sooth_read4
        HOOK __sooth_read8, sooth_read8
        HOOK __sooth_write1, sooth_write1
        HOOK __sooth_write2, sooth_write2
        HOOK __sooth_write4, sooth_write4
        HOOK __sooth_write8, sooth_write8
        HOOK __sooth_branch, sooth_branch

        .section .note.GNU-stack, "", @progbits
