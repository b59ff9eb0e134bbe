import { z } from 'zod';
import { codedError } from '#shared/core/coded-error.ts';
import { countCodePoints, hasForbiddenCharacters } from '#shared/core/text.ts';
import type { CodedError } from '#shared/errors.ts';

/** Questions that the community asks people who register, from the setting `signUpQuestions`. */
export const signUpQuestionLimits = {
  questions: 5,
  question: 200,
  answer: 2_000,
  defaultAnswer: 500,
} as const;

/** @property maxLength of the answer, in characters */
export const signUpQuestion = z.object({
  question: z.string(),
  required: z.boolean(),
  maxLength: z.int().positive(),
});
export type SignUpQuestion = z.infer<typeof signUpQuestion>;

/** An answer with the text of the question as it was asked. */
export const signUpAnswer = z.object({ question: z.string(), answer: z.string() });
export type SignUpAnswer = z.infer<typeof signUpAnswer>;

/** Long enough for any answer: the server checks the length that the question allows. */
export const signUpAnswers = z
  .array(signUpAnswer.extend({ question: z.string().max(1_000), answer: z.string().max(20_000) }).strict())
  .max(20);

/** Reads the lines of the setting. Of two equal questions, the first counts. */
export function parseSignUpQuestions(lines: readonly string[]): SignUpQuestion[] {
  const questions = lines.map(parseLine);
  return questions.filter(
    ({ question }, index) => questions.findIndex((other) => other.question === question) === index,
  );
}

function parseLine(line: string): SignUpQuestion {
  const [question = '', ...rest] = line.split('|').map((part) => part.trim());
  const length = rest.find((part) => /^\d+$/u.test(part));
  return {
    question,
    required: rest.includes('required'),
    maxLength: length === undefined ? signUpQuestionLimits.defaultAnswer : Number(length),
  };
}

/** The answer to each question in their order, trimmed, empty if there is none. */
export function selectSignUpAnswers(
  questions: readonly SignUpQuestion[],
  given: readonly SignUpAnswer[],
): SignUpAnswer[] {
  return questions.map(({ question }) => ({
    question,
    answer: given.find((each) => each.question === question)?.answer.trim() ?? '',
  }));
}

/** The problems of answers, of which there is one for each question. */
export function findSignUpAnswerProblems(
  questions: readonly SignUpQuestion[],
  answers: readonly SignUpAnswer[],
): ({ field: `signUpAnswers.${number}` } & CodedError)[] {
  return questions.flatMap(({ required, maxLength }, index) => {
    const field = `signUpAnswers.${index}` as const;
    const answer = answers[index]?.answer ?? '';
    if (required && answer === '') return [{ field, ...codedError('sign-up-answer-required') }];
    if (countCodePoints(answer) > maxLength)
      return [{ field, ...codedError('text-too-long', { max: maxLength }) }];
    return hasForbiddenCharacters(answer) ? [{ field, ...codedError('characters-not-allowed') }] : [];
  });
}

/** The answers for a list that shows them below the questions. */
export const toDescriptionItems = (answers: readonly SignUpAnswer[]) =>
  answers.map(({ question, answer }) => ({ term: question, text: answer }));
