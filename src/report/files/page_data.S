/* The page that web/ makes, as bytes. SOOTH_PAGE_FILE: its path; not defined if it was not built. */
        .section .rodata
        .global sooth_page_begin
        .global sooth_page_end
sooth_page_begin:
#ifdef SOOTH_PAGE_FILE
        .incbin SOOTH_PAGE_FILE
#endif
sooth_page_end:
        .byte 0
        .section .note.GNU-stack,"",@progbits
