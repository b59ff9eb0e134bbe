import { PageHeading } from '#web/ui/PageHeading.tsx';

export function LoginPage() {
  return <PageHeading>login</PageHeading>;
}
