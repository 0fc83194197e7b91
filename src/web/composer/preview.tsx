import { usePreview } from '../data/markdown'
import { Content } from '../parts/content'
import { Loading, ProblemNote, Skeleton } from '../parts/states'

/** A text as it will look. */
export function Preview({ text }: { text: string }) {
  const { data, error, refetch } = usePreview(text)
  if (text.trim() === '') return <p className="meta composer-preview">Nothing to preview</p>
  if (error) return <ProblemNote error={error} retry={() => void refetch()} />
  return (
    <div className="composer-preview">
      {data === undefined ? (
        <Loading what="the preview">
          <Skeleton width="80%" />
        </Loading>
      ) : (
        <Content html={data} />
      )}
    </div>
  )
}
