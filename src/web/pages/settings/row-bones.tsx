import { Bone, Loading } from '../../parts/states'

/** The shape of a list of settings. */
export const RowBones = ({ what }: { what: string }) => (
  <Loading what={what}>
    <ul className="rows">
      {[160, 110, 190].map((width) => (
        <li key={width} className="rows-item">
          <div className="bones">
            <Bone width={width} height={16} />
            <Bone width="70%" />
          </div>
        </li>
      ))}
    </ul>
  </Loading>
)
