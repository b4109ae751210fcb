// The offsets that hook_entry.S uses: in ThreadLocal and Thread (thread.h checks them), and in a
// slot.
#pragma once

#define SOOTH_LOCAL_STACK_TOP 24
#define SOOTH_LOCAL_STACK_LOW 32
#define SOOTH_LOCAL_OWNERS 56
#define SOOTH_LOCAL_OWNER_MASK 64
#define SOOTH_LOCAL_MINE 72
#define SOOTH_LOCAL_THREAD 88
#define SOOTH_LOCAL_QUIET 96
#define SOOTH_LOCAL_WRITTEN_TOP 104

#define SOOTH_THREAD_END 48
#define SOOTH_THREAD_CURSOR 56
#define SOOTH_THREAD_LIMIT 64
#define SOOTH_THREAD_LAST 72
#define SOOTH_THREAD_BUSY 88
#define SOOTH_THREAD_CLOCK 96

#define SOOTH_SLOT_ADDRESS 0
#define SOOTH_SLOT_VALUE 8
#define SOOTH_SLOT_COUNTER 16
#define SOOTH_SLOT_SITE 24
#define SOOTH_SLOT_SHAPE 28
#define SOOTH_SLOT_BYTES 32
