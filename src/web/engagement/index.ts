// The public file of this area: other areas import from here only.
export { FollowTagButton } from './FollowTagButton.tsx';
export { MuteSettings } from './MuteSettings.tsx';
export { MuteTagButton } from './MuteTagButton.tsx';
export { MutedBanner, useMutedFilter } from './MutedBanner.tsx';
export {
  followedQuestionsQuery,
  followedSummaryQuery,
  followedTagsQuery,
  recentActivityQuery,
} from './follow-lists.ts';
export { followsQuery } from './follows.ts';
export { countMuted } from './mutes.ts';
export { useIsMuted } from './mutes.ts';
