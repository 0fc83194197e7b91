/** Above the first unread item of a list. */
export const NewDivider = () => (
  <li className="new-divider">
    <span aria-hidden="true">New</span>
    <hr aria-label="New" />
  </li>
)
