import { setTimeout as delay } from 'node:timers/promises';

/** The longest pause in milliseconds. The pauses grow, because checking a condition takes processor time as well. */
const maxPauseMs = 200;

/** Repeats until the condition holds, or until the test times out. */
export async function eventually(condition: () => Promise<boolean> | boolean): Promise<void> {
  for (let pause = 20; !(await condition()); pause = Math.min(pause * 1.2, maxPauseMs)) await delay(pause);
}
