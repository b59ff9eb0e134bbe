import type { ErrorTable } from '#shared/core/error-kinds.ts';

/** Reports, moderation actions and the removal of activity. */
export const moderationErrors = {
  // Reports.
  'post-not-found': ['not-found', 'Post not found'],
  'report-note-required': ['invalid', 'Describe the problem in a few words'],
  'own-post-report': ['not-allowed', 'You cannot report your own posts, but you can edit or delete them.'],
  'too-many-reports': ['too-many', "You're reporting too much. Try again later."],

  // Actions on posts.
  'reason-required': ['invalid', 'Enter a reason'],
  'handled-already': ['already-handled', 'Already handled by another moderator'],
  'handled-by-you': ['already-handled', 'You have already handled this.'],
  'handled-by-moderator': ['already-handled', '{name} has already handled this.'],
  'claimed-by-moderator': ['already-handled', '{name} is reviewing this post. Take it over to act on it.'],
  'own-post-decision': ['not-allowed', 'This is your own post. Another moderator has to decide.'],
  'reported-meanwhile': [
    'already-handled',
    'A member has reported this post in the meantime. Look at the report.',
  ],
  'edited-meanwhile': [
    'edit-conflict',
    'This post was edited in the meantime. Read the new text, then decide.',
  ],
  'post-deleted': ['not-found', 'This post no longer exists.'],
  'duplicate-not-question': ['invalid', 'Only a question can be a duplicate.'],
  'original-required': ['invalid', 'Enter the number of the original question.'],
  'original-not-found': ['invalid', 'There is no question with this number.'],
  'original-is-duplicate': ['invalid', 'That question is itself a duplicate. Enter the original question.'],

  // Objections.
  'objection-required': ['invalid', 'Explain why the post should be restored.'],
  'objection-not-possible': [
    'already-handled',
    'You have already objected, or the post is restored or deleted.',
  ],
  'too-many-objections': ['too-many', "You're objecting too much. Try again tomorrow."],

  // Votes to close a question.
  'close-vote-not-allowed': ['not-allowed', 'You need more reputation to vote on closing this question.'],

  // Suggested edits.
  'suggestion-not-found': ['not-found', 'Suggested edit not found'],
  'edit-summary-required': ['invalid', 'Say in a few words what the edit improves'],
  'edit-summary-too-long': ['invalid', 'The summary must be {max} characters or fewer'],
  'suggestion-unchanged': ['invalid', 'Change something before you suggest the edit'],
  'own-post-suggestion': ['not-allowed', 'This is your own post. You can edit it.'],
  'own-suggestion': ['not-allowed', 'Someone else has to decide about your suggestion.'],
  'edit-suggestions-off': ['not-allowed', 'This community does not accept suggested edits.'],
  'suggestion-open-already': [
    'not-allowed',
    'You have already suggested an edit to this post. Withdraw it first, or wait until it is decided.',
  ],
  'too-many-suggestions': ['too-many', 'You can suggest up to {max} edits a day. Try again tomorrow.'],
  'suggestion-decided': ['already-handled', 'Someone else has already decided about this edit.'],
  'suggestion-conflict': [
    'edit-conflict',
    'The post has changed in the same place. Edit the text before you approve it.',
  ],

  // Tags.
  'tag-texts-conflict': [
    'edit-conflict',
    'Another moderator has changed these texts. Look at the changes, then save.',
  ],
  'tag-change-running': [
    'not-allowed',
    'This topic is being merged or renamed. Try again when that is done.',
  ],
  'tag-exists': ['invalid', 'There is a topic with this name. Merge it instead.'],
  'tag-is-synonym': ['invalid', 'This is another name of a topic. Enter that topic.'],
  'tag-merged-into-itself': ['invalid', 'Enter another topic.'],
  'tag-name-unchanged': ['invalid', 'Enter a new name.'],
  'tag-name-not-valid': ['invalid', 'Enter a name without commas.'],

  'tag-proposal-decided': ['already-handled', 'Someone else has already decided about this topic.'],

  // Announcements and pinned questions.
  'announcement-text-required': ['invalid', 'Enter a text.'],
  'announcement-link-not-valid': ['invalid', 'Enter an address that begins with https:// or with a slash.'],
  'announcement-end-past': ['invalid', 'Choose a day in the future.'],
  'announcement-tag-unknown': ['invalid', 'There is no topic with this name.'],
  'pinned-question-with-text': ['invalid', 'Enter either a question or a text, not both.'],
  'question-pinned-already': ['already-handled', 'This question is already pinned there.'],
  'too-many-announcements': [
    'not-allowed',
    'There are already {max} announcements and pinned questions there. End one of them first.',
  ],
  'too-many-announcements-in-all': [
    'not-allowed',
    'There are already {max} announcements and pinned questions. End one of them first.',
  ],
  'announcement-ended-already': ['already-handled', 'This has already ended.'],

  // Hidden posts.
  'restore-parent-first': ['not-found', 'The post that this belongs to is hidden. Restore that post first.'],
  'restored-already': ['already-handled', 'Another moderator has already restored this.'],

  // Actions on members.
  'member-is-moderator': ['not-allowed', 'Moderators cannot moderate each other. Ask an admin of this site.'],
  'last-admin': [
    'not-allowed',
    'You are the only admin. Make another member an admin before you give up the role.',
  ],
  'role-needs-email': ['not-allowed', 'This account cannot sign in, so it cannot have a role.'],
  'suspension-end-past': ['invalid', 'Choose a time in the future.'],
  'no-avatar': ['already-handled', 'This member no longer has a profile picture.'],
  'already-suspended': [
    'already-handled',
    'This member is already suspended. To change that, end the suspension first.',
  ],
  'not-suspended': ['already-handled', 'This member is no longer suspended.'],
  'activity-already-removed': ['already-handled', 'All activity of this account is already removed.'],
  'activity-removal-running': [
    'already-handled',
    'The removal is still running. Wait until it has finished.',
  ],
  'activity-not-removed': ['already-handled', 'No activity of this account is removed.'],

  // Accounts.
  'merge-name-wrong': ['invalid', 'This is not the name of the account that is merged.'],
  'merge-into-itself': ['not-allowed', 'An account cannot be merged into itself.'],
  'merge-of-moderator': [
    'not-allowed',
    'The account of a moderator or admin cannot be merged. Take away the role first.',
  ],
  'merge-of-service-account': ['not-allowed', 'Service accounts cannot be merged.'],
  'merge-of-deleted': ['already-handled', 'One of these accounts is deleted or already merged.'],
  'merge-of-applicant': [
    'not-allowed',
    'One of these accounts waits for approval or was refused. Only accounts of members can be merged.',
  ],
  'merge-into-imported': ['not-allowed', 'The account that stays cannot sign in. Merge the other way round.'],
  'claim-not-possible': ['not-found', 'This profile cannot be claimed.'],
  'claim-not-found': ['not-found', 'This claim no longer exists.'],
  'claim-expired': ['already-handled', 'The text has expired. Get a new one.'],
  'claim-waiting': ['already-handled', 'You have already asked the moderators.'],
  'claim-by-yourself': ['not-allowed', 'Another moderator has to decide about your claim.'],
  'too-many-claims': ['too-many', 'Too many claims. Try again later.'],
  'merge-running': [
    'already-handled',
    'This account is being merged with another one. Try again in a few minutes.',
  ],
  'merge-of-removed': [
    'not-allowed',
    'The activity of one of these accounts is removed. Restore it before you merge.',
  ],
  'two-factor-of-admin': [
    'not-allowed',
    'Sign-in methods of admins can be reset on the command line only: parley member remove-two-factor.',
  ],

  // Notes on members.
  'note-required': ['invalid', 'Enter a note'],
  'note-not-found': ['not-found', 'This note no longer exists.'],
  'note-on-yourself': ['not-allowed', 'Moderators do not see notes on themselves.'],
  'sign-in-not-found': ['not-found', 'This sign-in is no longer stored.'],
  'note-of-another': ['not-allowed', 'Only its author can change a note.'],

  // Removals of many accounts' activity, and approvals.
  'accounts-already-approved': ['already-handled', 'Another moderator has already approved these accounts.'],
  'removal-not-found': ['not-found', 'Removal not found'],
  'removal-empty': [
    'already-handled',
    'Nothing is left to remove: the selected accounts are moderators, or their activity is already removed.',
  ],
  'removal-too-large': ['invalid', 'A removal can include up to {max} accounts. Choose a shorter time span.'],
  'no-account-selected': ['invalid', 'No account matches the selection.'],
  'selection-required': ['invalid', 'Select accounts, or a network and a time span.'],
  'network-not-valid': ['invalid', 'Enter a network as the list of registrations shows it'],
  'accounts-not-found': ['not-found', 'No account has the address {emails}.'],
} as const satisfies ErrorTable;
