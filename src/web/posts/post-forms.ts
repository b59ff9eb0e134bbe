/** What the question page loads after it handles input (post-forms-on-demand.tsx). */
export { AnswerForm } from './AnswerForm.tsx';
export { EditPostForm } from './EditPostForm.tsx';
export { QueuedPostArticle, QueuedPostsElsewhere } from './offline/QueuedPost.tsx';
export { RestoreRefusedPosts } from './offline/restore-posts.ts';
export { EditQuestionForm } from './questions/EditQuestionForm.tsx';
export { ReplyForm } from './ReplyForm.tsx';
