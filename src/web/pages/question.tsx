import { PageHeading } from '#web/ui/PageHeading.tsx';

export function QuestionPage() {
  return <PageHeading>question</PageHeading>;
}
