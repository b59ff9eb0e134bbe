/**
 * Runs steps one after the other, also if some fail.
 * @throws AggregateError with the errors of all that failed
 */
export async function runAll(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps)
    await step().catch((error: unknown) => {
      errors.push(error);
    });
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${steps.length} steps failed`);
}

/** Does a part of a long work. Returns whether there may be more to do. */
export type WorkPart = () => Promise<boolean>;

/**
 * Continues long works in turns, so that a short one does not wait for the end of a long one. One that fails is left to
 * the next run.
 * @param until milliseconds since 1970. The next run does what is left.
 * @param turnMs how long a work goes on before the next one has its turn
 * @throws the error of the work that failed, AggregateError if several failed
 */
export async function runInTurns(works: readonly WorkPart[], until: number, turnMs = 2_000): Promise<void> {
  const waiting = [...works];
  const errors: unknown[] = [];
  for (let work = waiting.shift(); work !== undefined && Date.now() < until; work = waiting.shift())
    try {
      if (await runTurn(work, Math.min(until, Date.now() + turnMs))) waiting.push(work);
    } catch (error) {
      errors.push(error);
    }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} of ${works.length} failed`);
}

async function runTurn(work: WorkPart, end: number): Promise<boolean> {
  do {
    if (!(await work())) return false;
  } while (Date.now() < end);
  return true;
}
