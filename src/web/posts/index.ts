// The public file of this area: other areas import from here only.
export { Author } from './Author.tsx';
export { MoreActions, type OpenMenu } from './MoreActions.tsx';
export { PostAction, PostActions } from './PostActions.tsx';
export { CardTitle, PostCard } from './PostCard.tsx';
export { TagLink, TagLinks } from './TagLinks.tsx';
export { adoptVisitorDrafts } from './drafts/drafts-storage.ts';
export { useDraft } from './drafts/useDraft.ts';
export { isId } from './offline/queued-posts.ts';
export { setVote } from './post-api.ts';
export { anchorOf } from './post-ref.ts';
export { hiddenPostsKey, tagQueryKeys } from './query-keys.ts';
export { createQuestionCache, questionKeys, useQuestionCache } from './questions/question-cache.ts';
export { useQuestionPage } from './questions/question-page-context.ts';
export { findPost, patchPost } from './questions/question-page-data.ts';
export { default as tagLinkStyles } from './TagLinks.module.css';
export { default as postCardStyles } from './PostCard.module.css';
export { default as postActionStyles } from './PostActions.module.css';
