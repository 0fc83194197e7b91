import { Loading, Skeleton } from '../../parts/states'

/** Rows in the shape of entries. */
export const EntrySkeleton = ({ count = 6 }: { count?: number }) => (
  <Loading what="your inbox">
    <ol className="infinite-list">
      {Array.from({ length: count }, (_, at) => (
        <li key={at}>
          <div className="inbox-row">
            <span className="inbox-face">
              <Skeleton width={36} height={36} />
            </span>
            <div className="inbox-sentence">
              <Skeleton width={`${82 - (at % 3) * 14}%`} height={14} />
            </div>
            <div className="inbox-place">
              <Skeleton width={200} />
            </div>
          </div>
        </li>
      ))}
    </ol>
  </Loading>
)
