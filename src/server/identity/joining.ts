import type { Database } from '#server/core/database.ts';
import { invalidFieldError, ProblemError } from '#server/core/errors.ts';
import type { RuntimeSettings } from '#server/core/runtime-settings.ts';
import { isEmailDomainAllowed } from '#shared/identity/email-domains.ts';
import { giveBackUse, insertInvitedMember } from './invitations-queries.ts';
import { requireInvitation, takeInvitation } from './invitations.ts';

export type Joining = ReturnType<typeof createJoining>;

/** Who wants to join: a valid email address in lower case, and the token of an invitation, or null. */
export type Applicant = { email: string; invitation: string | null };

/** Who may join by the site settings, for registrations by password and by identity provider (docs/product.md 2). */
export function createJoining({ db, runtimeSettings }: { db: Database; runtimeSettings: RuntimeSettings }) {
  return { check: checkApplicant, checkDomain, admit: admitMember };

  /**
   * Runs before anything that depends on the address, so that nobody who may not join learns which are registered.
   * @throws ProblemError 'disabled', 'gone' for an invitation that does not work, 'invalid' for the domain of the address
   */
  async function checkApplicant({ email, invitation }: Applicant): Promise<void> {
    const joining = runtimeSettings.get('joining');
    if (joining === 'closed') throw new ProblemError('registration-closed');
    if (invitation !== null) await requireInvitation(db, invitation);
    else if (joining === 'invitation') throw new ProblemError('invitation-required');
    checkDomain(email);
  }

  /** @throws ProblemError 'invalid' if the site settings do not allow the domain of the address */
  function checkDomain(email: string): void {
    const allowed = runtimeSettings.get('allowedEmailDomains');
    const refused = runtimeSettings.get('refusedEmailDomains');
    if (!isEmailDomainAllowed(email, { allowed, refused }))
      throw invalidFieldError('email', 'email-domain-not-allowed');
  }

  /**
   * Takes a use of the invitation, creates the account, and gives the use back if that fails. better-auth creates the
   * account in a transaction of its own, so the use is taken in a statement before it. If the server stops in between,
   * the use is lost. There are never more accounts than uses.
   */
  async function admitMember<Created extends { memberId: number }>(
    { invitation }: Pick<Applicant, 'invitation'>,
    create: () => Promise<Created>,
  ): Promise<Created> {
    if (invitation === null) return create();
    const invitationId = await takeInvitation(db, invitation);
    let created: Created;
    try {
      created = await create();
    } catch (error) {
      await giveBackUse(db, invitationId);
      throw error;
    }
    await insertInvitedMember(db, { memberId: created.memberId, invitationId });
    return created;
  }
}
