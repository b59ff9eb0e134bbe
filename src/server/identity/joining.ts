import { type Database, transaction } from '#server/core/database.ts';
import { invalidFieldError, invalidFieldsError, ProblemError } from '#server/core/errors.ts';
import type { SiteSettings } from '#server/core/site-settings.ts';
import type { ApplicationStatus } from '#shared/identity/applications.ts';
import { isEmailDomainAllowed } from '#shared/identity/email-domains.ts';
import {
  findSignUpAnswerProblems,
  parseSignUpQuestions,
  selectSignUpAnswers,
  type SignUpAnswer,
} from '#shared/identity/sign-up-questions.ts';
import { insertSignUpAnswers } from './applications-queries.ts';
import { announceApplication } from './applications.ts';
import { giveBackUse, insertInvitedMember } from './invitations-queries.ts';
import { requireInvitation, takeInvitation } from './invitations.ts';

export type Joining = ReturnType<typeof createJoining>;

/** Who wants to join: a valid email address in lower case, and the token of an invitation, or null. */
export type Applicant = { email: string; invitation: string | null };

/** Answers as they were sent; absent: none. */
type GivenAnswers = readonly SignUpAnswer[] | undefined;

/** Who may join by the site settings, for registrations by password and by identity provider (docs/product.md 2). */
export function createJoining({ db, siteSettings }: { db: Database; siteSettings: SiteSettings }) {
  return {
    check: checkApplicant,
    checkDomain,
    questions: readQuestions,
    checkAnswers,
    admit: admitMember,
  };

  /**
   * Runs before anything that depends on the address, so that persons who cannot join do not learn which are registered.
   * @throws ProblemError 'disabled', 'gone' for an invitation that does not work, 'invalid' for the domain of the address
   */
  async function checkApplicant({ email, invitation }: Applicant): Promise<void> {
    const joining = siteSettings.get('joining');
    if (joining === 'closed') throw new ProblemError('registration-closed');
    if (invitation !== null) await requireInvitation(db, invitation);
    else if (joining === 'invitation') throw new ProblemError('invitation-required');
    checkDomain(email);
  }

  /** @throws ProblemError 'invalid' if the site settings do not allow the domain of the address */
  function checkDomain(email: string): void {
    const allowed = siteSettings.get('allowedEmailDomains');
    const refused = siteSettings.get('refusedEmailDomains');
    if (!isEmailDomainAllowed(email, { allowed, refused }))
      throw invalidFieldError('email', 'email-domain-not-allowed');
  }

  /** The questions that people answer when they register. */
  function readQuestions() {
    return parseSignUpQuestions(siteSettings.get('signUpQuestions'));
  }

  /**
   * Returns the answers to store.
   * @throws ProblemError 'edit-conflict' for an answer to a question that is no longer asked; 'invalid' with an error at
   * `signUpAnswers.<place of the question>` for each that is missing or too long
   */
  function checkAnswers(given: GivenAnswers): SignUpAnswer[] {
    const questions = readQuestions();
    const asked = new Set(questions.map(({ question }) => question));
    if (given?.some(({ question }) => !asked.has(question)) === true)
      throw new ProblemError('sign-up-questions-changed');
    const answers = selectSignUpAnswers(questions, given ?? []);
    const problems = findSignUpAnswerProblems(questions, answers);
    if (problems.length > 0) throw invalidFieldsError(problems);
    return answers.filter(({ answer }) => answer !== '');
  }

  /**
   * Takes a use of the invitation, creates the account, and gives the use back if that fails. better-auth creates the
   * account in a transaction of its own, so the use is taken in a statement before it. If the server stops in between,
   * the use is lost. There are never more accounts than uses.
   * @param create gets what the account is until a moderator decides; null for a member. It is stored with the account,
   * so that no account is a member's for a moment, also if the server stops before the answers are stored.
   */
  async function admitMember<Created extends { memberId: number }>(
    { invitation, signUpAnswers }: Pick<Applicant, 'invitation'> & { signUpAnswers: GivenAnswers },
    create: (application: ApplicationStatus | null) => Promise<Created>,
  ): Promise<Created> {
    const answers = checkAnswers(signUpAnswers);
    if (invitation === null) {
      const application = siteSettings.get('joining') === 'approval' ? 'waiting' : null;
      const created = await create(application);
      await storeAnswers(created.memberId, answers, application);
      return created;
    }
    const invitationId = await takeInvitation(db, invitation);
    let created: Created;
    try {
      created = await create(null);
    } catch (error) {
      await giveBackUse(db, invitationId);
      throw error;
    }
    await insertInvitedMember(db, { memberId: created.memberId, invitationId });
    await storeAnswers(created.memberId, answers, null);
    return created;
  }

  async function storeAnswers(
    memberId: number,
    answers: readonly SignUpAnswer[],
    application: ApplicationStatus | null,
  ): Promise<void> {
    if (answers.length === 0 && application === null) return;
    await transaction(db, async (tx) => {
      await insertSignUpAnswers(tx, { memberId, answers });
      if (application !== null) await announceApplication(tx, memberId);
    });
  }
}
