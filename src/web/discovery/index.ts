// The public file of this area: other areas import from here only.
export { Chart, ChartTable } from './activity/Chart.tsx';
export { MemberCharts } from './activity/MemberCharts.tsx';
export { useChartCursor } from './activity/useChartCursor.ts';
export { activityKeys, memberActivityQuery, memberReputationQuery } from './activity/activity.ts';
export { announcementsKey } from './announcements/announcements.ts';
export { AnnouncementText } from './announcements/Announcements.tsx';
export { AnswerCard } from './feeds/AnswerCard.tsx';
export { QuestionCardPlaceholders, QuestionCardSkeletons } from './feeds/QuestionCardSkeletons.tsx';
export { LiveQuestionList } from './feeds/QuestionList.tsx';
export { useLiveAnswerCards } from './feeds/useLiveAnswerCards.ts';
