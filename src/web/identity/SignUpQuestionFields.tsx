import { t } from '@lingui/core/macro';
import { Textarea } from '#web/ui/mantine/Textarea.tsx';
import { useState } from 'react';
import {
  findSignUpAnswerProblems,
  selectSignUpAnswers,
  type SignUpAnswer,
  type SignUpQuestion,
} from '#shared/identity/sign-up-questions.ts';
import { ApiError, translateCodedError } from '#web/core/errors.ts';
import { CharacterCounter } from '#web/ui/CharacterCounter.tsx';
import { useTypedState } from './useTypedState.ts';

/** The fields of the form by their place, and the message of each. */
type Problems = Readonly<Record<number, string>>;

/**
 * The answers of a form to the questions of the community.
 * @param form its name, unique in the program
 * @param known answers from before
 */
export function useSignUpAnswers(
  form: string,
  questions: readonly SignUpQuestion[],
  known: readonly SignUpAnswer[] = [],
) {
  const [answers, setAnswers] = useTypedState<Readonly<Record<string, string>>>(`${form}-answers`, () =>
    Object.fromEntries(known.map(({ question, answer }) => [question, answer])),
  );
  const [problems, setProblems] = useState<Problems>({});
  const given = Object.entries(answers).map(([question, answer]) => ({ question, answer }));
  const selected = selectSignUpAnswers(questions, given);
  return {
    /** What to send. */
    answers: selected,
    problems,
    setAnswer(question: string, answer: string) {
      setProblems({});
      setAnswers((before) => ({ ...before, [question]: answer }));
    },
    answerTo: (question: string) => answers[question] ?? '',
    /** Shows what is wrong and focuses it. Returns whether everything is right. */
    check(): boolean {
      return !fail(
        findSignUpAnswerProblems(questions, selected).map(({ field, ...error }) => ({
          field,
          message: translateCodedError(error),
        })),
      );
    },
    /** Shows the errors of a response at the questions. Returns whether there are any. */
    showErrors: (error: Error): boolean => error instanceof ApiError && fail(error.errors),
  };

  function fail(errors: readonly { field: string; message: string }[]): boolean {
    const found = errors.flatMap(({ field, message }) => {
      const place = /^signUpAnswers\.(\d)$/u.exec(field)?.[1];
      return place === undefined ? [] : [[Number(place), message] as const];
    });
    setProblems(Object.fromEntries(found));
    const [first] = found;
    if (first === undefined) return false;
    document.querySelector<HTMLElement>(`[data-sign-up-question="${first[0]}"]`)?.focus();
    return true;
  }
}

/** A field for each question. */
export function SignUpQuestionFields({
  questions,
  form,
}: {
  questions: readonly SignUpQuestion[];
  form: ReturnType<typeof useSignUpAnswers>;
}) {
  return questions.map(({ question, required, maxLength }, index) => (
    <div key={question}>
      <Textarea
        label={
          <>
            <bdi>{question}</bdi> {!required && t`(optional)`}
          </>
        }
        data-sign-up-question={index}
        rows={maxLength > 200 ? 3 : 2}
        dir="auto"
        aria-required={required}
        value={form.answerTo(question)}
        error={form.problems[index]}
        onChange={(event) => form.setAnswer(question, event.currentTarget.value)}
      />
      <CharacterCounter text={form.answerTo(question)} max={maxLength} />
    </div>
  ));
}
