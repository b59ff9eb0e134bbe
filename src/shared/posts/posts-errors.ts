import type { ErrorTable } from '#shared/core/error-kinds.ts';

/** Questions, answers, replies, their tags and drafts. */
export const postsErrors = {
  'question-not-found': ['not-found', 'Question not found'],
  'answer-not-found': ['not-found', 'Answer not found'],
  'reply-not-found': ['not-found', 'Reply not found'],
  'version-not-found': ['not-found', 'Version not found'],
  'question-already-deleted': ['not-found', 'Question not found or already deleted.'],
  'question-locked': ['locked', 'This question is locked: {reason}'],

  // Texts and tags.
  'question-fields-required': ['invalid', 'Please fill in all required fields'],
  'title-too-long': ['invalid', 'Title must be {max} characters or fewer'],
  'details-too-long': ['invalid', 'Details must be {max} characters or fewer'],
  'answer-required': ['invalid', 'Please write an answer'],
  'answer-too-long': ['invalid', 'Answer must be {max} characters or fewer'],
  'reply-required': ['invalid', 'Please write a reply'],
  'reply-too-long': ['invalid', 'Reply must be {max} characters or fewer'],
  'required-tag-missing': ['invalid', 'Add at least one of these tags: {tags}'],
  'new-tag-by-moderators': ['invalid', 'There is no tag “{tag}”. Only moderators create new tags.'],
  'new-tag-needs-reputation': [
    'invalid',
    'There is no tag “{tag}”. Members create new tags from {reputation} reputation on.',
  ],
  'too-many-tag-proposals': ['too-many', 'You can propose up to {max} tags a day. Try again tomorrow.'],
  'too-many-tags': ['invalid', 'You can add up to {max} tags'],
  'tag-too-long': ['invalid', 'Tag must be {max} characters or fewer'],
  'tag-characters-not-allowed': ['invalid', 'A tag cannot contain control characters'],

  // Only the author.
  'question-edit-not-author': ['not-author', 'You can only edit your own questions.'],
  'question-deletion-not-author': ['not-author', 'You can only delete your own questions.'],
  'answer-edit-not-author': ['not-author', 'You can only edit your own answers.'],
  'answer-deletion-not-author': ['not-author', 'You can only delete your own answers.'],
  'reply-edit-not-author': ['not-author', 'You can only edit your own replies.'],
  'reply-deletion-not-author': ['not-author', 'You can only delete your own replies.'],
  'acceptance-not-author': ['not-author', 'Only the author of the question can accept an answer.'],

  // Edits that another edit has overtaken.
  'question-edit-conflict': [
    'edit-conflict',
    'This question was edited while you were writing. Review the changes before you save.',
  ],
  'answer-edit-conflict': [
    'edit-conflict',
    'This answer was edited while you were writing. Review the changes before you save.',
  ],
  'reply-edit-conflict': [
    'edit-conflict',
    'This reply was edited while you were writing. Review the changes before you save.',
  ],

  // Threads.
  'parent-reply-not-found': ['not-found', 'The reply you are replying to has been deleted.'],
  'parent-reply-elsewhere': ['not-found', 'The reply you are replying to belongs to another post.'],
  'thread-too-deep': ['invalid', 'Replies can be nested up to level {max}'],

  // Drafts.
  'draft-not-found': ['not-found', 'Draft not found'],
  'draft-too-many-fields': ['invalid', 'A draft has up to {max} fields'],
  'draft-characters-not-allowed': ['invalid', 'A draft cannot contain NUL characters or unpaired surrogates'],
  'draft-too-long': ['too-large', 'The draft is too long to be saved on the server.'],
  'draft-posted': ['draft-posted', 'This text has already been posted.'],
  'draft-changed': ['draft-changed', 'This draft was changed on another device in the meantime.'],

  // Uploads.
  'upload-not-found': ['not-found', 'Picture not found'],
  'picture-store-unavailable': ['unavailable', 'Pictures cannot be shown at the moment.'],
  'upload-not-picture': ['invalid', 'Only JPEG, PNG, WebP and GIF pictures can be uploaded.'],
  'upload-damaged': ['invalid', 'This picture is damaged.'],
  'upload-too-large': ['too-large', 'Pictures must be {max} MB or smaller.'],
  'upload-too-many-pixels': ['invalid', 'Pictures must have {max} million pixels or fewer.'],
  'upload-too-expensive': ['invalid', 'This picture takes too long to process. Try a smaller one.'],
  'upload-quota': ['not-allowed', 'Your pictures take up {max} MB, which is the maximum.'],

  // Repeated requests.
  'request-in-progress': ['unavailable', 'The same request is still being processed.'],
  'key-reused': ['key-reused', 'This idempotency key was used for a different request.'],
  'post-deleted-since': ['gone', 'The post that this request created has since been deleted.'],

  // Limits.
  'too-many-questions': ['too-many', "You're asking too many questions. Try again in a few minutes."],
  'too-many-posts': ['too-many', "You're posting too much. Try again in a few minutes."],
  'too-many-uploads': ['too-many', "You're uploading too many pictures. Try again in an hour."],
  'too-many-links': ['too-many', "You're posting too many links. Try again in a few minutes."],
  'too-many-edits': ['too-many', "You're editing too much. Try again in a few minutes."],
  'too-many-draft-saves': ['too-many', 'Too many draft saves. Try again in a moment.'],
  'too-many-mentions': ['invalid', 'You can mention up to {max} members in one post.'],
  'too-many-mentions-today': [
    'too-many',
    'New members can mention up to {max} members a day. Mention fewer, or try again tomorrow.',
  ],
  'too-many-member-searches': ['too-many', "You're searching for members too often. Try again in a minute."],
} as const satisfies ErrorTable;
