/* GLib's threads, queues, pools and conditions; what it prints does not depend on their order. */
#include <glib.h>
#include <stdio.h>

enum { kThreads = 3, kItems = 300 };

static GMutex mutex;
static GCond changed;
static GHashTable* counts; /* with `mutex` */
static int finished;       /* with `mutex` */
static int in_pool;        /* atomic */

static gpointer consume(gpointer argument) {
  GAsyncQueue* queue = argument;
  int taken = 0;
  for (;;) {
    const int item = GPOINTER_TO_INT(g_async_queue_pop(queue));
    if (item > kItems) break;
    ++taken;
    g_mutex_lock(&mutex);
    gpointer key = GINT_TO_POINTER(item % 5);
    g_hash_table_insert(counts, key, GINT_TO_POINTER(GPOINTER_TO_INT(g_hash_table_lookup(counts, key)) + item));
    g_mutex_unlock(&mutex);
  }
  g_mutex_lock(&mutex);
  ++finished;
  g_cond_signal(&changed);
  g_mutex_unlock(&mutex);
  return GINT_TO_POINTER(taken);
}

static void pool_work(gpointer item, gpointer unused) {
  (void)unused;
  g_atomic_int_add(&in_pool, GPOINTER_TO_INT(item));
}

int main(void) {
  counts = g_hash_table_new(g_direct_hash, g_direct_equal);
  GAsyncQueue* queue = g_async_queue_new();
  GThread* threads[kThreads];
  for (int i = 0; i < kThreads; ++i) threads[i] = g_thread_new("consumer", consume, queue);
  for (int i = 1; i <= kItems; ++i) g_async_queue_push(queue, GINT_TO_POINTER(i));
  for (int i = 0; i < kThreads; ++i) g_async_queue_push(queue, GINT_TO_POINTER(kItems + 1));
  g_mutex_lock(&mutex);
  while (finished < kThreads) g_cond_wait(&changed, &mutex);
  g_mutex_unlock(&mutex);
  int taken = 0;
  for (int i = 0; i < kThreads; ++i) taken += GPOINTER_TO_INT(g_thread_join(threads[i]));
  printf("%d taken\n", taken);
  for (int i = 0; i < 5; ++i) printf("%d: %d\n", i, GPOINTER_TO_INT(g_hash_table_lookup(counts, GINT_TO_POINTER(i))));
  GThreadPool* pool = g_thread_pool_new(pool_work, NULL, 2, FALSE, NULL);
  for (int i = 1; i <= 100; ++i) g_thread_pool_push(pool, GINT_TO_POINTER(i), NULL);
  g_thread_pool_free(pool, FALSE, TRUE);
  printf("pool %d\n", g_atomic_int_get(&in_pool));
  g_async_queue_unref(queue);
  g_hash_table_destroy(counts);
  return 0;
}
