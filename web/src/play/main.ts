/** The entry of the playground's page. */

const page = document.getElementById("page");
if (page !== null) {
  const title = document.createElement("h1");
  title.textContent = "Westwood playground";
  page.replaceChildren(title);
}
