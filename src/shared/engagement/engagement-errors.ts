import type { ErrorTable } from '#shared/core/error-kinds.ts';

/** Votes, bookmarks, follows and mutes. */
export const engagementErrors = {
  'own-post-vote': ['not-allowed', 'You cannot vote on your own posts here.'],
  'network-vote-limit': [
    'not-allowed',
    'Several new members from your network have already voted here. You can vote once you have been a member for {days} days.',
  ],
  'too-many-votes': ['too-many', "You're voting too much. Try again in a few minutes."],

  'bookmark-not-found': ['not-found', 'Bookmark not found'],
  'bookmark-note-too-long': ['invalid', 'Note must be {max} characters or fewer'],
  'too-many-bookmarks': ['not-allowed', 'You can save up to {max} bookmarks. Remove some to add others.'],
  'bookmark-list-not-found': ['not-found', 'List not found'],
  'bookmark-lists-unknown': ['invalid', 'List not found'],
  'bookmark-list-name-required': ['invalid', 'Give the list a name'],
  'bookmark-list-name-too-long': ['invalid', 'List name must be {max} characters or fewer'],
  'bookmark-list-name-taken': ['invalid', 'You already have a list with this name'],
  'too-many-bookmark-lists': ['not-allowed', 'You can have up to {max} lists'],

  'tag-required': ['invalid', 'Enter a topic'],
  'too-many-followed-tags': [
    'not-allowed',
    'You can follow up to {max} topics. Unfollow some to add others.',
  ],
  'too-many-muted-tags': ['not-allowed', 'You can mute up to {max} topics. Unmute some to add others.'],
} as const satisfies ErrorTable;
