import { ApiError } from '../../../client'
import { ProblemNote } from '../../parts/states'
import { paths } from '../../paths'
import { getWorkspaceName, Heading } from './heading'

/** A link that cannot be used, and why. */
export function LinkProblem({
  error,
  advice,
  retry,
}: {
  error: Error | undefined
  advice: string
  retry?: () => void
}) {
  const isGone = error === undefined || (error instanceof ApiError && error.status === 410)
  if (!isGone) return <ProblemNote error={error} retry={retry} />
  return (
    <>
      <Heading workspace={getWorkspaceName()}>This link is no longer valid</Heading>
      <p>{advice}</p>
      <a className="button" href={paths.signIn()}>
        Go to sign-in
      </a>
    </>
  )
}
