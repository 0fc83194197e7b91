import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { ApiError } from '../../../client'
import { requestSession } from '../../data/cache/session'
import { Loading, ProblemNote, Skeleton } from '../../parts/states'
import { paths } from '../../paths'
import { getWorkspaceName, Heading } from './heading'
import { useLinkToken } from './use-link-token'

interface Props<Details> {
  title: string
  path: string
  /** Tells what a link is for. */
  endpoint: string
  /** Where to get another link, if this one does not work. */
  advice: string
  children(link: string, details: Details): ReactNode
}

/** A page that is opened with the link of a mail. */
export function LinkPage<Details>({ title, path, ...content }: Props<Details>) {
  const link = useLinkToken(path)
  useEffect(() => {
    document.title = `${title} · Parley`
  }, [title])
  return (
    <main className="sign-in" id="main">
      <div className="sign-in-card">
        {link ? (
          <Content key={link} link={link} {...content} />
        ) : (
          <LinkProblem error={undefined} advice={content.advice} />
        )}
      </div>
    </main>
  )
}

type ContentProps<Details> = Pick<Props<Details>, 'endpoint' | 'advice' | 'children'> & { link: string }

function Content<Details>({ link, endpoint, advice, children }: ContentProps<Details>) {
  const details = useQuery({
    queryKey: [endpoint, link],
    queryFn: () => requestSession<Details>('POST', endpoint, { link }),
    retry: false,
    gcTime: 0,
  })
  if (details.error) return <LinkProblem error={details.error} advice={advice} retry={() => void details.refetch()} />
  if (details.data) return children(link, details.data)
  return (
    <Loading what="the link">
      <Skeleton width={260} height={24} />
    </Loading>
  )
}

/** A link that cannot be used, and why. */
function LinkProblem({ error, advice, retry }: { error: Error | undefined; advice: string; retry?: () => void }) {
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
