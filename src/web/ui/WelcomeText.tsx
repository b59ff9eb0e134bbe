import { useCachedSession } from '#web/core/session.ts';
import { Markdown } from './markdown/Markdown.tsx';
import classes from './WelcomeText.module.css';

/** What the community says to visitors (setting welcomeText). */
export default function WelcomeText() {
  const text = useCachedSession()?.welcomeText ?? '';
  return text === '' ? null : (
    <div className={classes.welcome}>
      <Markdown text={text} headingLevel={2} />
    </div>
  );
}
