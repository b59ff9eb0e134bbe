import { setTimeout as delay } from 'node:timers/promises';

/** Repeats until the condition holds, or until the test times out. */
export async function eventually(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(20);
}
