// The public file of this area: other areas import from here only.
export { NotificationPreferences } from './NotificationPreferences.tsx';
