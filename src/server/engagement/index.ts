// The public file of this area: other areas import from here only.
export { bookmarkRoutes } from './bookmarks-routes.ts';
export { setBookmark } from './bookmarks.ts';
export { followRoutes } from './follows-routes.ts';
export { setTagFollow } from './follows-tags.ts';
export { followTag } from './follows.ts';
export { feedWindow, hasMutedTag, type Mutes, readMutesToApply, skipMuted } from './mutes-filter.ts';
export { muteRoutes } from './mutes-routes.ts';
export { moveSomeTagFollows, moveSomeTagMutes } from './tags-moving.ts';
export { moveSomeVotes } from './votes-moving.ts';
export { voteRoutes } from './votes-routes.ts';
export { createVoteBatcher, setVotesOfMember } from './votes.ts';
