import type { SettingDefinition } from './setting-definition.ts';

/** Posts, topics and edits. */
export const postDefinitions = {
  formulas: {
    category: 'posts',
    type: 'boolean',
    default: false,
    label: 'Formulas',
    description: 'Posts show formulas: $…$ in a line and $$…$$ as a block, in the notation of LaTeX.',
  },
  tagCreation: {
    category: 'posts',
    type: 'choice',
    default: 'everyone',
    options: {
      everyone: 'Everyone',
      experienced: 'Members with enough reputation',
      moderators: 'Moderators',
    },
    label: 'Who creates topics',
    description: 'Who may use a tag that does not exist yet.',
  },
  tagCreationReputation: {
    category: 'posts',
    type: 'integer',
    default: 50,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for new topics',
    description: 'The reputation from which members create new topics, if that depends on it.',
  },
  tagProposalsPerDay: {
    category: 'posts',
    type: 'integer',
    default: 5,
    min: 0,
    max: 100,
    label: 'Proposed topics a day',
    description:
      'How many new topics a member who may not create them can propose in a day. Moderators decide in the review queue. 0: none.',
  },
  requiredTags: {
    category: 'posts',
    type: 'list',
    default: [],
    maxItems: 20,
    max: 35,
    label: 'Required topics',
    description: 'A new question needs at least one of these tags. Empty: none.',
  },
  editSuggestionsPerDay: {
    category: 'posts',
    type: 'integer',
    default: 20,
    min: 0,
    max: 1_000,
    label: 'Suggested edits a day',
    description: 'How many edits to posts of others a member may suggest in a day. 0: none.',
  },
  editApprovalReputation: {
    category: 'posts',
    type: 'integer',
    default: 1_000,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for approving edits',
    description:
      'The reputation from which members approve or reject suggested edits. The author of the post and moderators always can.',
  },
  directEditing: {
    category: 'posts',
    type: 'choice',
    default: 'nobody',
    options: {
      nobody: 'No one, every edit needs approval',
      moderators: 'Moderators only',
      experienced: 'Moderators and members with enough reputation',
    },
    label: 'Who edits posts of others without approval',
    description:
      'Others suggest edits. The author of the post is notified, and its versions name the editor.',
  },
  directEditReputation: {
    category: 'posts',
    type: 'integer',
    default: 5_000,
    min: 1,
    max: 1_000_000,
    label: 'Reputation for editing without approval',
    description: 'The reputation from which members edit posts of others, if that depends on it.',
  },
} as const satisfies Record<string, SettingDefinition>;
