// Shows the document of the server that the page comes from. Nobody else is asked, not even to judge the document.
SwaggerUIBundle({
  url: "../openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "list",
  validatorUrl: null,
  tryItOutEnabled: true,
});
