export { en as t } from "./en"
