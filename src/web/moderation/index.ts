// The public file of this area: other areas import from here only.
export { ModerationMenu } from './ModerationMenu.tsx';
