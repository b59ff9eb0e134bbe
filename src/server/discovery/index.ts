// The public file of this area: other areas import from here only.
export { findTagByKey } from './tags-queries.ts';
export {
  createEmptySearchCounter,
  deleteOldEmptySearches,
  type EmptySearchCounter,
  readEmptySearches,
} from './empty-searches.ts';
export { activityRoutes } from './activity-routes.ts';
export { feedRoutes } from './feeds-routes.ts';
export { addWithPendingLists } from './pending-lists.ts';
export { searchPopularityJob } from './search-popularity.ts';
export { searchRoutes } from './search-routes.ts';
export { findSimilar } from './similar.ts';
export { relatedRoutes, similarRoutes } from './similar-routes.ts';
export {
  countPoints,
  countPosts,
  countReceived,
  countTagWeeks,
  groupByDay,
  statisticsFrom,
  storedMemberDays,
  storedReceived,
  storedTagWeeks,
} from './statistics-counts.ts';
export { statisticsJob } from './statistics.ts';
export { lockStatistics, rebuildMemberStatistics, rebuildTagStatistics } from './statistics-queries.ts';
export { followedTagRoutes, tagRoutes } from './tags-routes.ts';
