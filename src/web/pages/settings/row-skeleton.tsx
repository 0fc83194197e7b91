import { Loading, Skeleton } from '../../parts/states'

/** The skeleton of a list of settings. */
export const RowSkeleton = ({ what }: { what: string }) => (
  <Loading what={what}>
    <ul className="rows">
      {[160, 110, 190].map((width) => (
        <li key={width} className="rows-item">
          <div className="row-skeleton">
            <Skeleton width={width} height={16} />
            <Skeleton width="70%" />
          </div>
        </li>
      ))}
    </ul>
  </Loading>
)
