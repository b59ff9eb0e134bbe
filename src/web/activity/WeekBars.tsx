import { t } from '@lingui/core/macro';
import { type TopicActivity, topicQuestionsCounted, weeksShown } from '#shared/activity.ts';
import { exactCount } from '#web/platform/counts.ts';
import { Months } from './Months.tsx';
import { NumberTable, Picture } from './Picture.tsx';
import { dayText, topicSummary, weekText } from './texts.ts';
import { useReading } from './useReading.ts';
import { yearWeeks } from './year.ts';
import classes from './WeekBars.module.css';

/** Half the height of the picture: questions stand above the line, answers hang below it. */
const half = 50;

/** What happened in a topic, week by week over a year. */
export function WeekBars({ activity }: { activity: TopicActivity }) {
  const weeks = yearWeeks(activity);
  const most = Math.max(1, ...weeks.flatMap(({ questions, answers }) => [questions, answers]));
  const { current, handlers } = useReading({
    count: weeks.length,
    indexAt: (x) => Math.max(0, Math.min(weeks.length - 1, Math.floor(x * weeks.length))),
  });
  const pointed = current === null ? undefined : weeks[current];
  const summary = topicSummary(weeks);
  const counted = exactCount(topicQuestionsCounted);
  const height = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * half));

  return (
    <Picture
      title={t`Activity`}
      summary={summary}
      reading={pointed === undefined ? null : weekText(pointed)}
      note={
        activity.complete
          ? t`Questions above the line, answers below, by week`
          : t`By week, over the newest ${counted} questions`
      }
      table={
        <NumberTable
          heads={[t`Week of`, t`Questions`, t`Answers`]}
          rows={weeks
            .filter(({ questions, answers }) => questions + answers > 0)
            .toReversed()
            .map(({ week, questions, answers }) => [dayText(week), questions, answers])}
        />
      }
    >
      <div
        {...handlers}
        className={classes.plot}
        aria-label={t`Activity by week. ${summary}.`}
        aria-valuetext={weekText(pointed ?? weeks.at(-1) ?? { week: activity.to, questions: 0, answers: 0 })}
      >
        <svg viewBox={`0 0 ${weeksShown * 10} ${half * 2}`} preserveAspectRatio="none" aria-hidden>
          {weeks.map(({ week, questions, answers }, index) => (
            <g key={week} data-pointed={index === current || undefined}>
              {index === current && (
                <rect x={index * 10} y={0} width={10} height={half * 2} className={classes.pointed} />
              )}
              <rect
                x={index * 10 + 1.5}
                y={half - height(questions)}
                width={7}
                height={height(questions)}
                className={classes.questions}
              />
              <rect
                x={index * 10 + 1.5}
                y={half + 1}
                width={7}
                height={height(answers)}
                className={classes.answers}
              />
            </g>
          ))}
          <line
            x1={0}
            x2={weeksShown * 10}
            y1={half}
            y2={half}
            className={classes.axis}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </div>
      <Months from={activity.from} />
    </Picture>
  );
}
