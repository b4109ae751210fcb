// Entries of the hooks that inlined code calls. They follow LLVM's preserve_most convention:
// arguments as in C; the hook preserves every general register but r11, and no vector registers. So
// the hot path around a hook keeps its registers.
//
// While a segment is kept in full, the entry itself appends the access, as `append` in buffer.h
// would. That covers most of the kept events, and needs only two registers. Unusual cases go to the
// runtime's function: calls that were entered or left, the same instruction or address again, the
// limit is reached.
#include "capture/runtime/hook_entry.h"

        .hidden sooth_time
        .text

        .macro CALL_TARGET target, gives_value=0
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
        .if \gives_value
        addq    $8, %rsp
        .else
        popq    %rax
        .endif
        .cfi_adjust_cfa_offset -8
        ret
        .endm

        .macro HOOK_START name
        .globl  \name
        .type   \name, @function
        .p2align 4
\name:
        .cfi_startproc
        endbr64
        pushq   %rax
        .cfi_adjust_cfa_offset 8
        pushq   %rcx
        .cfi_adjust_cfa_offset 8
        .endm

        .macro HOOK_END name
        .cfi_endproc
        .size   \name, .-\name
        .endm

        // rdi: address, rsi: value, edx: site
        .macro ACCESS_HOOK name, target, kind, size
        HOOK_START \name
        movq    __sooth_thread@gottpoff(%rip), %rcx
        movq    %fs:SOOTH_LOCAL_THREAD(%rcx), %r11
        testq   %r11, %r11
        je      9f
        movq    SOOTH_THREAD_CURSOR(%r11), %rax
        cmpq    SOOTH_THREAD_LIMIT(%r11), %rax
        jae     9f
        cmpl    $0, %fs:SOOTH_LOCAL_QUIET(%rcx)
        jne     9f
        movq    %fs:SOOTH_LOCAL_WRITTEN_TOP(%rcx), %rax
        cmpq    %fs:SOOTH_LOCAL_STACK_TOP(%rcx), %rax
        jne     9f
        cmpq    %fs:SOOTH_LOCAL_STACK_LOW(%rcx), %rax
        jne     9f
        movq    %rdi, %rax              // the owner of the block: nobody, or not yet (ownership.h)
        shrq    $9, %rax
        andq    %fs:SOOTH_LOCAL_OWNER_MASK(%rcx), %rax
        addq    %fs:SOOTH_LOCAL_OWNERS(%rcx), %rax
        movq    (%rax), %rax
        cmpq    $-1, %rax
        je      5f
        cmpb    $-1, %al                // the thread's own, and none of its accesses was omitted yet
        je      9f
        orb     $-1, %al
        cmpq    %fs:SOOTH_LOCAL_MINE(%rcx), %rax
        jne     9f
        testb   $(7 * SOOTH_SLOT_BYTES), SOOTH_THREAD_CURSOR(%r11)
        je      9f                      // one of eight counts, where the thread may own it (ownership.cc)
5:
        movq    SOOTH_THREAD_LAST(%r11), %rax
        cmpl    %edx, SOOTH_SLOT_SITE(%rax)
        je      9f
        .if \kind == 1
        cmpq    %rdi, SOOTH_SLOT_ADDRESS(%rax)
        je      9f
        .endif
        incl    SOOTH_THREAD_BUSY(%r11)
        movl    $SOOTH_SLOT_BYTES, %eax
        xaddq   %rax, SOOTH_THREAD_CURSOR(%r11) // one instruction: see reserve in buffer.h
        cmpq    SOOTH_THREAD_END(%r11), %rax
        jae     8f                      // a signal handler came in between and filled the buffer
        movq    sooth_time(%rip), %rcx  // reading(t)
        cmpq    SOOTH_THREAD_CLOCK(%r11), %rcx
        ja      7f
        movq    SOOTH_THREAD_CLOCK(%r11), %rcx
6:
        movq    %rdi, SOOTH_SLOT_ADDRESS(%rax)
        movq    %rsi, SOOTH_SLOT_VALUE(%rax)
        movq    %rcx, SOOTH_SLOT_COUNTER(%rax)
        movl    %edx, SOOTH_SLOT_SITE(%rax)
        movl    $(\size | \kind << 24), SOOTH_SLOT_SHAPE(%rax) // last: a slot is whole or not there
        movq    %rax, SOOTH_THREAD_LAST(%r11)
        decl    SOOTH_THREAD_BUSY(%r11)
        .cfi_remember_state
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        popq    %rax
        .cfi_adjust_cfa_offset -8
        ret
        .cfi_restore_state
        .cfi_def_cfa_offset 24          // clang's assembler forgets what restore_state restores
7:
        movq    %rcx, SOOTH_THREAD_CLOCK(%r11)
        jmp     6b
8:
        decl    SOOTH_THREAD_BUSY(%r11)
9:
        CALL_TARGET \target
        HOOK_END \name
        .endm

        ACCESS_HOOK __sooth_read1, sooth_read1, 1, 1
        ACCESS_HOOK __sooth_read2, sooth_read2, 1, 2
        ACCESS_HOOK __sooth_read4, sooth_read4, 1, 4
        ACCESS_HOOK __sooth_read8, sooth_read8, 1, 8
        ACCESS_HOOK __sooth_write1, sooth_write1, 2, 1
        ACCESS_HOOK __sooth_write2, sooth_write2, 2, 2
        ACCESS_HOOK __sooth_write4, sooth_write4, 2, 4
        ACCESS_HOOK __sooth_write8, sooth_write8, 2, 8

        // Accesses that the runtime makes (monitoring/accesses.cc). The value read comes back in
        // rax.
        .macro MONITORED_READ name, target
        HOOK_START \name
        CALL_TARGET \target, 1
        HOOK_END \name
        .endm
        .macro MONITORED_WRITE name, target
        HOOK_START \name
        CALL_TARGET \target
        HOOK_END \name
        .endm
        MONITORED_READ __sooth_monitored_read1, sooth_monitored_read1
        MONITORED_READ __sooth_monitored_read2, sooth_monitored_read2
        MONITORED_READ __sooth_monitored_read4, sooth_monitored_read4
        MONITORED_READ __sooth_monitored_read8, sooth_monitored_read8
        MONITORED_WRITE __sooth_monitored_write1, sooth_monitored_write1
        MONITORED_WRITE __sooth_monitored_write2, sooth_monitored_write2
        MONITORED_WRITE __sooth_monitored_write4, sooth_monitored_write4
        MONITORED_WRITE __sooth_monitored_write8, sooth_monitored_write8

        HOOK_START __sooth_branch
        CALL_TARGET sooth_branch
        HOOK_END __sooth_branch

        .section .note.GNU-stack, "", @progbits
