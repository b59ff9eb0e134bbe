import { useEffect, useRef } from 'react';
import { getWidgetAttributes, getWidgetScriptPath, type WidgetChoice } from './widget-snippet.ts';
import classes from './widget.module.css';

/** While a text is typed, the widget waits for this long. */
const typingPauseMs = 400;

/**
 * The widget itself, as another site shows it.
 * @param pageTitle stands in for the title of the page of the other site
 */
export function WidgetPreview({ choice, pageTitle }: { choice: WidgetChoice; pageTitle: string }) {
  const box = useRef<HTMLDivElement>(null);
  const path = getWidgetScriptPath(choice);
  const attributes = getWidgetAttributes(choice);
  if (choice.subject === 'related') attributes['related'] = pageTitle;
  const data = JSON.stringify(attributes);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      const script = document.createElement('script');
      script.src = path;
      Object.assign(script.dataset, JSON.parse(data));
      // The script puts its list after itself.
      box.current?.replaceChildren(script);
    }, typingPauseMs);
    return () => window.clearTimeout(timer);
  }, [path, data]);
  return <div ref={box} className={classes.preview} />;
}
