import { setTimeout as delay } from 'node:timers/promises';

/** Looks again and again until the condition holds; the test's own time limit ends it. */
export async function eventually(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(20);
}
