import { type Database, transaction, type Tx } from '#server/core/database.ts';
import { ProblemError } from '#server/core/errors.ts';
import { publishAll } from '#server/core/events.ts';
import { notifyOfQueue } from '#server/notifications/index.ts';
import type { ApplicationStatus, OwnApplication } from '#shared/identity/applications.ts';
import type { SignUpAnswer } from '#shared/identity/sign-up-questions.ts';
import {
  deleteSignUpAnswers,
  findOwnApplication,
  insertSignUpAnswers,
  isAnotherWaiting,
  lockApplication,
} from './applications-queries.ts';
import type { Joining } from './joining.ts';

/**
 * All requests of an account that is not a member's yet, apart from those of visitors: to see and change the application,
 * to take the data along, and to delete the account. A list of what is allowed, so that a new route is refused.
 */
const applicantRequests = new Set([
  'GET /api/application',
  'PUT /api/application',
  'GET /api/data-export',
  'POST /api/account-deletion',
]);

/** Whether an account that is not a member's yet may make the request as itself. */
export const isApplicantRequest = ({ method, path }: { method: string; path: string }): boolean =>
  applicantRequests.has(`${method === 'HEAD' ? 'GET' : method} ${path}`);

/** Not 'signed-out': that would end the session in the browser. */
export const createApplicationProblem = (status: ApplicationStatus) =>
  new ProblemError(status === 'waiting' ? 'application-waiting' : 'application-refused', {
    extension: { application: status },
  });

/** Notifies the moderators of a new account that waits. */
export async function announceApplication(tx: Tx, memberId: number): Promise<void> {
  const isFirst = !(await isAnotherWaiting(tx, memberId));
  await publishAll(tx, [
    { topic: 'moderation', event: { kind: 'moderation-changed' } },
    ...(await notifyOfQueue(tx, { kind: 'application', isFirst, except: null })),
  ]);
}

/** @throws ProblemError 'not-found' for a member */
export async function readOwnApplication(
  db: Database,
  { memberId, joining }: { memberId: number; joining: Joining },
): Promise<OwnApplication> {
  const row = await findOwnApplication(db, memberId);
  if (row === undefined) throw new ProblemError('application-not-found');
  return { ...row, appliedAt: row.appliedAt.toISOString(), signUpQuestions: joining.questions() };
}

/**
 * Replaces the answers of an account that waits. Answers to questions that are no longer asked are dropped.
 * @throws ProblemError 'not-found' for an account that does not wait; others as for a registration
 */
export async function updateOwnAnswers(
  db: Database,
  {
    memberId,
    signUpAnswers,
    joining,
  }: { memberId: number; signUpAnswers: readonly SignUpAnswer[]; joining: Joining },
): Promise<void> {
  const answers = joining.checkAnswers(signUpAnswers);
  await transaction(db, async (tx) => {
    if ((await lockApplication(tx, memberId)) !== 'waiting') throw new ProblemError('application-not-found');
    await deleteSignUpAnswers(tx, memberId);
    await insertSignUpAnswers(tx, { memberId, answers });
    await publishAll(tx, [{ topic: 'moderation', event: { kind: 'moderation-changed' } }]);
  });
}
